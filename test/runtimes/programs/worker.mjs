// Without the sandbox, which needs Node.
import * as settlekit from "settlekit";
import * as checkout from "settlekit/checkout";
import * as webhooks from "settlekit/webhooks";
import { runSuite } from "./suite.mjs";

export default {
  async fetch(request) {
    const setting = await request.json();
    return Response.json(await runSuite({ settlekit, checkout, webhooks }, setting));
  },
};
