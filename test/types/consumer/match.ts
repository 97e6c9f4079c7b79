// A handler that forgets a status does not compile.

import { type Webhook, type WebhookBranches, Webhooks } from "settlekit/webhooks";

export function incomplete(webhook: Webhook, branches: WebhookBranches<string>): void {
  const { payment, withdrawal, unknown } = branches;
  const { expired: _, ...withoutExpired } = payment;
  // @ts-expect-error a known status of a payment is missing
  Webhooks.match(webhook, { payment: withoutExpired, withdrawal, unknown });
  const { cancelled: _c, ...withoutCancelled } = withdrawal;
  // @ts-expect-error a known status of a withdrawal is missing
  Webhooks.match(webhook, { payment, withdrawal: withoutCancelled, unknown });
  const { unknown: _u, ...withoutUnknown } = payment;
  // @ts-expect-error the branch for unknown statuses is mandatory
  Webhooks.match(webhook, { payment: withoutUnknown, withdrawal, unknown });
  // @ts-expect-error so is the one for unknown events
  Webhooks.match(webhook, { payment, withdrawal });
  // @ts-expect-error there is no such status
  Webhooks.match(webhook, { payment: { ...payment, paid: () => "" }, withdrawal, unknown });
  // @ts-expect-error there is no such branch
  Webhooks.match(webhook, { ...branches, payments: payment });
  Webhooks.match(webhook, {
    ...branches,
    payment: {
      ...payment,
      completed: ({ data, event }) => {
        const status: "completed" = data.status;
        // @ts-expect-error it is the event of a payment
        const ofWithdrawal: "withdrawal.updated" = event;
        return status + ofWithdrawal;
      },
    },
  });
}
