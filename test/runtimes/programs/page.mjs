import * as settlekit from "settlekit";
import * as checkout from "settlekit/checkout";
import * as webhooks from "settlekit/webhooks";
import { runSuite } from "./suite.mjs";

globalThis.run = (setting) => runSuite({ settlekit, checkout, webhooks }, setting);
