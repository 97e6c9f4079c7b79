CREATE TABLE orders (
  id TEXT PRIMARY KEY,
  product TEXT NOT NULL,
  amount_in_cents INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'awaiting payment',
  payment_id TEXT,
  payment_url TEXT,
  created_at TEXT NOT NULL
);

-- What a payment's state asks for: ship what was paid, release what was not. Each row exists once and is
-- there to be worked off, by a process of its own if you like.
CREATE TABLE effects (
  payment_id TEXT NOT NULL,
  state TEXT NOT NULL,
  order_id TEXT NOT NULL REFERENCES orders (id),
  PRIMARY KEY (payment_id, state)
);
