/**
 * Signed deliveries for testing webhook receivers: as they are, or duplicated, late, out of order or forged.
 *
 * @module settlekit/testing
 */
export type { Seed } from "../sandbox/random.ts";
export {
  type Disturbance,
  type DisturbedDelivery,
  disturbDeliveries,
  type Sendable,
  type Tampering,
} from "./disturb-deliveries.ts";
export { type SendOptions, type SentDelivery, sendDeliveries } from "./send-deliveries.ts";
export {
  type LambdaForm,
  type LambdaV1Event,
  type LambdaV2Event,
  type NodeDelivery,
  type SignedDelivery,
  type SignedDeliveryOptions,
  signedDelivery,
} from "./signed-delivery.ts";
