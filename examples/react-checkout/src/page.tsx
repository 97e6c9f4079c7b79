import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { Checkout } from "settlekit/checkout/react";

/** The server's response to a new order. The secret gives access to this payment only. */
interface OpenPayment {
  readonly paymentId: string;
  readonly secret: string;
  readonly baseUrl: string;
}

function Shop() {
  const [payment, setPayment] = useState<OpenPayment>();
  const [hasFailed, setFailed] = useState(false);
  const [isPaid, setPaid] = useState(false);
  useEffect(() => {
    // One order for each visit; a shop takes it from its own session.
    const orderId = sessionStorage.orderId ?? `order_${crypto.randomUUID()}`;
    sessionStorage.orderId = orderId;
    const opening = fetch(`/payments/${orderId}`, { method: "POST" });
    opening.then((answer) => answer.json()).then(setPayment, () => setFailed(true));
  }, []);
  if (hasFailed) return <p>The payment could not be started. Please reload the page.</p>;
  if (payment === undefined) return <p>One moment …</p>;
  return (
    <>
      <Checkout {...payment} onPaid={() => setPaid(true)} />
      {isPaid && <p>Thank you. We will ship your mug as soon as your payment is confirmed.</p>}
    </>
  );
}

const root = document.getElementById("root");
if (root) createRoot(root).render(<Shop />);
