import { Webhooks } from "settlekit/webhooks";

interface Environment {
  readonly SETTLEKIT_WEBHOOK_SECRET: string;
}

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    const webhooks = new Webhooks({ secret: environment.SETTLEKIT_WEBHOOK_SECRET });
    webhooks.on("payment.updated", ({ data }) =>
      console.log(`order ${data.orderId}: ${data.status}`),
    );
    return webhooks.fetchHandler()(request);
  },
};
