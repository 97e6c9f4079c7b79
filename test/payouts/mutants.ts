import type { Mutant } from "../mutants.ts";

/** The safeguards of the payout ledger, without which a test fails. */
export const payoutMutants: readonly Mutant[] = [
  {
    name: "a payout is sent without an attempt in its row",
    file: "src/payouts/attempts.ts",
    find: `      \`INSERT INTO {payout_attempts} (payout_id, fence, started_at, left_by) VALUES ($1, $2, {now}, {now} + $3)\`,
      [row.id, row.fence, leaveMs],`,
    replace: '      "SELECT 1",',
    test: "test/payouts/sending.test.ts",
  },
  {
    name: "a payout is sent by a worker that another one has replaced",
    file: "src/payouts/attempts.ts",
    find: "WHERE id = $1 AND fence = $2 AND lease_until > {now} AND state IN",
    replace: "WHERE id = $1 AND fence >= $2 AND state IN",
    test: "test/payouts/sending.test.ts",
  },
  {
    name: "a payout is sent again without the quiet times",
    file: "src/payouts/attempts.ts",
    find: "provenAt: lastLeft + 2 * quietMs,",
    replace: "provenAt: lastLeft,",
    test: "test/payouts/sending.test.ts",
  },
  {
    name: "a payout in doubt is looked for at once",
    file: "src/payouts/attempts.ts",
    find: "lookAt: lastLeft + quietMs,",
    replace: "lookAt: lastLeft,",
    test: "test/payouts/sending.test.ts",
  },
  {
    name: "a payout is sent again without a look",
    file: "src/payouts/sender.ts",
    find: "  const found = await renewing(context, row, () => client.find(row.order_id, options));\n  const [withdrawal",
    replace: "  const found = [] as Withdrawal[];\n  const [withdrawal",
    test: "test/payouts/sending.test.ts",
  },
  {
    name: "a payout is sent again after an incomplete look",
    file: "src/resources/payouts/ledger-client.ts",
    find: "return findByOrderId(this.#http, { operation, path }, orderId, options);",
    replace:
      "return findByOrderId(this.#http, { operation, path }, orderId, options).catch(() => []);",
    test: "test/payouts/sending.test.ts",
  },
  {
    name: "a payout takes nothing from the budget",
    file: "src/payouts/attempts.ts",
    find: "  reserved_at = COALESCE(reserved_at, $2), doubt_since",
    replace: "  reserved_at = CASE WHEN $2 < 0 THEN $2 END, doubt_since",
    test: "test/payouts/limits.test.ts",
  },
  {
    name: "a payout in doubt gives its budget back",
    file: "src/payouts/attempts.ts",
    find: "  failures = CASE WHEN $4 IS NULL THEN",
    replace: "  reserved_at = NULL, failures = CASE WHEN $4 IS NULL THEN",
    test: "test/payouts/limits.test.ts",
  },
  {
    name: "a suspended process sends late",
    file: "src/payouts/sender.ts",
    find: "if (begun.elapsedMs() > leaveMs) throw new TooLate();",
    replace: "",
    test: "test/payouts/sending.test.ts",
  },
  {
    name: "a payout is sent though its row is not what its journal says",
    file: "src/payouts/attempts.ts",
    find: 'if (!(yield* agreesWithJournal(ledger, current))) return { kind: "stopped" };',
    replace: "",
    test: "test/payouts/deciding.test.ts",
  },
  {
    name: "an open breaker does not stop payouts",
    file: "src/payouts/attempts.ts",
    find: 'if (ledger.isStopped) return { kind: "stopped" };',
    replace: "",
    test: "test/payouts/deciding.test.ts",
  },
  {
    name: "the planner approves",
    file: "src/payouts/plan.ts",
    find: "if (isSamePerson(row.planned_by, by)) {",
    replace: 'if (by === "") {',
    test: "test/payouts/limits.test.ts",
  },
  {
    name: "a person says never sent against the list",
    file: "src/payouts/decide.ts",
    find: "if (found.length > 0) {",
    replace: "if (found.length > 99) {",
    test: "test/payouts/deciding.test.ts",
  },
];
