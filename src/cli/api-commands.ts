import { object } from "@optique/core/constructs";
import { constant } from "@optique/core/primitives";
import { float } from "@optique/core/valueparser";
import { maxTimerMs } from "../duration.ts";
import { TimeoutError } from "../errors.ts";
import type { CreateOnceInput } from "../resources/payouts/payout.ts";
import { show } from "../values.ts";
import type { Operation } from "../wire/operation.ts";
import { operationTable } from "../wire/operations.ts";
import { type Command, defineCommand, operand, setting, toggle } from "./command.ts";
import { confirmPayout } from "./confirm.ts";
import {
  columnsOf,
  describedIn,
  kebab,
  metavarOf,
  operandsOf,
  optionsOf,
} from "./operation-options.ts";
import {
  clientFrom,
  csv,
  instant,
  noKey,
  paymentSecret,
  production,
  secretFrom,
  serviceOptions,
} from "./options.ts";
import { mostOf, pageOptions, printList } from "./records.ts";
import { interruptible } from "./terminal.ts";

// One command for each operation in the table, so that a new operation needs no new file; plus `find` and `wait`, which
// combine several calls.

/** The command name of an operation, such as `payments list`. Operations of checkouts and dashboards have none. */
function commandNameOf({ name, credential }: Operation<unknown>): string | undefined {
  if (name === "withdrawals.create") return "withdrawals create-once";
  const isOfQuotes = name.startsWith("checkout.quotes.");
  const isOfMerchant = credential !== "paymentSecret" && credential !== "accessToken";
  if (!isOfMerchant && !isOfQuotes) return undefined;
  return kebab(name.replace(/^(?:checkout|wallet)\./, "").replace(".", " "));
}

export function apiCommands(): Command[] {
  return Object.values(operationTable).flatMap((operation: Operation<unknown>) => {
    const name = commandNameOf(operation);
    if (name === undefined) return [];
    const own = operationCommand(operation, name);
    const [group = "", verb] = name.split(" ");
    const columns = columnsOf(operation);
    if (verb !== "list" || !columns?.includes("orderId")) return [own];
    return [own, findCommand(group, columns), waitCommand(group)];
  });
}

const payoutOptions = object({
  yes: toggle("--yes", "Send without asking for confirmation."),
  production,
});

const idempotencyKey = setting(
  "--idempotency-key KEY",
  "The key of a request whose outcome is unknown: repeating it within 24 hours creates nothing twice.",
).optional();

type Method = (...args: readonly unknown[]) => PromiseLike<object>;

/** The client's method for an operation, whose name it shares. */
function methodOf(client: object, name: string): Method {
  const [group = "", verb = ""] = name.split(".");
  const methods = (client as Record<string, Record<string, Method>>)[group];
  const method = methods?.[verb];
  if (method === undefined) throw new Error(`The client has no method ${name}.`);
  return method.bind(methods);
}

function operationCommand(operation: Operation<unknown>, name: string): Command {
  const { query, body, credential, replay } = operation;
  const isOfPayment = credential === "paymentSecret";
  const isPayout = replay === "unsafe";
  const method = operation.name.replace("checkout.", "") + (isPayout ? "Once" : "");
  const columns = columnsOf(operation);
  const { limit, ...input } = optionsOf(operation, isPayout ? ["orderId"] : []);
  const { summary, description } = describedIn(operation);
  return defineCommand({
    name,
    brief: isPayout ? "Pay out once for an order." : `${summary}.`,
    description: isPayout ? onceProse : description?.replaceAll("`", ""),
    examples: examplesOf(operation, name),
    options: {
      path: object(operandsOf(operation)),
      secret: isOfPayment ? paymentSecret : constant(undefined),
      input: object(input),
      pages: limit === undefined ? constant(undefined) : object(pageOptions),
      keys: object(replay === "keyed" ? { idempotencyKey } : {}),
      payout: isPayout ? payoutOptions : constant(undefined),
      common: object({ csv: columns ? csv : constant(false), ...serviceOptions }),
    },
    async run({ path, secret, input, pages, keys, payout, common }, terminal) {
      const most = pages && mostOf(pages);
      const { headerPrefix, csv } = common;
      const secretKey = credential === "secretKey" ? undefined : noKey;
      const client = await clientFrom({ headerPrefix, secretKey });
      if (payout) {
        // Before the question: nobody should confirm what will be refused.
        const { ledgerClient } = await import("../resources/payouts/ledger-client.ts");
        const body = ledgerClient(client.withdrawals).checked(input as unknown as CreateOnceInput);
        await confirmPayout(body, payout, client.baseUrl);
      }
      const pageSize = most === undefined ? {} : { limit: Math.min(most, 1000) };
      return interruptible(async (signal) => {
        const options = { signal, ...keys };
        const given = query || body ? [{ ...input, ...pageSize }, options] : [options];
        const ids = Object.values(path);
        const api = isOfPayment
          ? client.checkout({ paymentId: `${ids.shift()}`, secret: secretFrom(secret, "payment") })
          : client;
        const result = methodOf(api, method)(...ids, ...given);
        if (!columns) return await result;
        await printList(result, { csv, columns, most }, terminal);
        return undefined;
      });
    },
  });
}

const onceProse =
  "Sends crypto worth the amount to an address. If the order already has a withdrawal, prints that one instead. If " +
  "the outcome of sending is unknown, looks for the withdrawal again instead of sending twice.";

function findCommand(group: string, columns: readonly string[]): Command {
  return defineCommand({
    name: `${group} find`,
    brief: `Find ${group} by their orderId.`,
    description:
      "Reads the list, because the service cannot search by orderId. --created-after shortens the search.",
    examples: [`settlekit ${group} find order_1 --created-after 2026-01-01`],
    options: {
      orderId: operand("ORDER_ID", "The merchant's own id of the order."),
      createdAfter: setting(
        "--created-after TIME",
        "When the order was placed: nothing older is read.",
        instant,
      ).optional(),
      csv,
      ...serviceOptions,
    },
    async run({ orderId, createdAfter, headerPrefix, csv }, terminal) {
      const find = methodOf(await clientFrom({ headerPrefix }), `${group}.findByOrderId`);
      await interruptible((signal) => {
        // A long list takes as long as with --all. Each attempt still has its own limit.
        const found = find(orderId, { createdAfter, signal, deadlineMs: maxTimerMs });
        return printList(found, { csv, columns }, terminal);
      });
    },
  });
}

const seconds = float({ min: 0.001, max: maxTimerMs / 1000 });

function waitCommand(group: string): Command {
  const id = metavarOf(`${group.slice(0, -1)}Id`);
  return defineCommand({
    name: `${group} wait`,
    brief: "Wait until the status is final.",
    description:
      "Polls until the status is final, such as completed or failed, and prints the result. The exit code is 0 whatever the status is: scripts read the status from --json. Servers learn the outcome from webhooks.",
    examples: [`settlekit ${group} wait ${id} --timeout 60`],
    options: {
      id: operand(id, `Id of the ${group.slice(0, -1)}.`),
      timeout: setting("--timeout SECONDS", "The maximum. Default: 900.", seconds).withDefault(900),
      ...serviceOptions,
    },
    async run({ id, timeout, headerPrefix }) {
      const wait = methodOf(await clientFrom({ headerPrefix }), `${group}.waitUntilFinal`);
      try {
        return await interruptible(async (signal) =>
          wait(id, { deadlineMs: timeout * 1000, signal }),
        );
      } catch (error) {
        if (!(error instanceof TimeoutError)) throw error;
        const { lastStatus } = error;
        const fact = lastStatus ? `The status is still ${show(lastStatus)}` : "No status was read";
        // The client's message names its own option.
        error.message = `${fact} after ${timeout} s. Run the command again, or pass a longer --timeout.`;
        throw error;
      }
    },
  });
}

/** Example values for the required options of operations. */
const samples: Readonly<Record<string, string>> = {
  "payments.create": " --order-id order_1 --amount 2500",
  "withdrawals.create":
    " --order-id payout_1 --amount-in-cents 12500 --chain-id 84532" +
    " --recipient-address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "checkout.quotes.create":
    " --chain-id 84532 --contract-address 0x0000000000000000000000000000000000000000",
};

function examplesOf(operation: Operation<unknown>, name: string): readonly string[] {
  const path = Object.keys(operandsOf(operation)).map((name) => ` ${metavarOf(name)}`);
  const line = `settlekit ${name}${path.join("")}${samples[operation.name] ?? ""}`;
  if (operation.replay === "unsafe") return [line, `${line} --yes --json`];
  return operation.query ? [line, `${line} --limit 1000 --csv`] : [line];
}
