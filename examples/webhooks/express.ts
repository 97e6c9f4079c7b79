import express from "express";
import { Webhooks } from "settlekit/webhooks";

const webhooks = new Webhooks();
webhooks.on("payment.updated", ({ data }) => console.log(`order ${data.orderId}: ${data.status}`));

const app = express();

// Before express.json(), which discards the raw body.
app.all("/webhooks", webhooks.nodeHandler());
app.use(express.json());
app.post("/orders", (request, response) => void response.json(request.body));

export const server = app.listen(Number(process.env.PORT ?? 3000));
