CREATE TABLE orders (
  id TEXT PRIMARY KEY,
  product TEXT NOT NULL,
  amount_in_cents INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'awaiting payment',
  payment_id TEXT,
  payment_url TEXT,
  created_at TEXT NOT NULL
);

-- Work to do: ship what was paid, release what was not. A worker can process these rows, here or in a
-- process of its own. Each row exists once.
CREATE TABLE effects (
  payment_id TEXT NOT NULL,
  state TEXT NOT NULL,
  order_id TEXT NOT NULL REFERENCES orders (id),
  PRIMARY KEY (payment_id, state)
);
