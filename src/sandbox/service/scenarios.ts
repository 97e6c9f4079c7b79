import { InvalidRequestError, NotFoundError } from "../../errors.ts";
import { checkOptionNames, invalidArgument, show } from "../../values.ts";
import type { PaymentStatus } from "../../wire/payment.ts";
import type { WithdrawalStatus } from "../../wire/withdrawal.ts";
import { checkName } from "../checks.ts";
import type { Core } from "../core.ts";

/**
 * How the steps of a scenario are taken:
 *
 * - `at-once`, the default: straight to the end, skipping the intermediate states.
 * - `on-clock`: each when the sandbox's clock reaches it, including during `clock.advance`.
 * - `by-hand`: each by a call to `step`.
 */
export type ScenarioSteps = "at-once" | "on-clock" | "by-hand";

/** A pending step of a scenario. */
export interface UpcomingStep<Status> {
  /** The status of the payment or withdrawal after the step. */
  readonly status: Status;
  /** A payment's number of confirmations after the step; null if no money arrives, and for withdrawals. */
  readonly confirmations: number | null;
  /** ISO 8601, UTC, on the sandbox's clock; null if only `step` takes it. */
  readonly dueAt: string | null;
}

/** @deprecated Use `UpcomingStep`. */
export type UpcomingPaymentStep = UpcomingStep<PaymentStatus>;
/** @deprecated Use `UpcomingStep`. */
export type UpcomingWithdrawalStep = UpcomingStep<WithdrawalStatus>;

/** Payments or withdrawals that scenarios are played on. */
export interface Simulated<Subject extends { readonly status: string }> {
  /**
   * Takes the next step of a `by-hand` scenario, or of an `on-clock` scenario before it is due.
   *
   * @returns The payment or withdrawal after the step.
   * @throws {NotFoundError} when the sandbox has none with that id.
   * @throws {InvalidRequestError} code `no_steps_ahead`.
   * @example
   * ```ts
   * await sandbox.payments.simulate(paymentId, "success", { steps: "by-hand" });
   * const payment = await sandbox.payments.step(paymentId);
   * [payment.status, payment.receipt?.confirmations]; // ["processing", 1]
   * ```
   */
  step(id: string): Promise<Subject>;
  /** The remaining steps of its scenario, in order; empty if none is in progress. Unknown ids throw as in `step`. */
  upcoming(id: string): UpcomingStep<Subject["status"]>[];
  /** Copies of all of them, oldest first, as the service stores them. This is not a request, so no fault applies. */
  all(): Subject[];
}

/** A step of a scenario before it is taken. Plain JSON, so that it can be stored. */
export interface Step {
  readonly status: string;
  readonly confirmations: number | null;
  /** When the clock takes it: milliseconds since 1970; null if only a call to `step` takes it. */
  readonly dueMs: number | null;
}

interface ScenariosOptions<Subject, Scenario extends string, Options, Planned> {
  readonly name: "payment" | "withdrawal";
  /** `from`: the statuses in which a scenario can be played. */
  readonly outcomes: Readonly<Record<Scenario, { readonly from: readonly string[] }>>;
  readonly optionNames: readonly (keyof Options & string)[];
  readonly find: (id: string) => Subject | undefined;
  readonly all: () => Subject[];
  /** @throws {InvalidRequestError} The options do not fit the subject. */
  readonly plan: (subject: Subject, scenario: Scenario, options: Options) => readonly Planned[];
  readonly take: (subject: Subject, step: Planned) => Subject;
}

/** Plays scenarios on payments or withdrawals. Returns copies, because the sandbox's values never change. */
export function createScenarios<
  Subject extends { readonly status: string },
  Scenario extends string,
  Options extends { readonly steps?: ScenarioSteps | undefined },
  Planned extends Step,
>({ clock, store }: Core, options: ScenariosOptions<Subject, Scenario, Options, Planned>) {
  const { name, outcomes, find, plan, take } = options;
  /** The remaining steps, by the subject's id. */
  const plans = store.table<readonly Planned[]>(`${name} steps`);
  const scheduleStep = clock.onDue(`${name} step`, takeIfDue);
  // Data files of 0.1.0 have most fields of a step in `step`.
  const flat = (it: Planned) => ("step" in it ? { ...it, ...(it.step as object) } : it);
  store.onReplaced(() => {
    for (const [id, steps] of plans.entries()) plans.set(id, steps.map(flat));
  });

  function found(id: string): Subject {
    const subject = find(id);
    if (subject !== undefined) return subject;
    throw new NotFoundError(
      `This sandbox has no ${name} with that id. Pass the id of one that was created here since the ` +
        "last reset.",
      { code: "not_found", param: `${name}Id` },
    );
  }

  async function simulate(
    id: string,
    scenario: Scenario,
    playOptions = {} as Options,
  ): Promise<Subject> {
    checkOptionNames(playOptions, options.optionNames);
    const { steps: pace = "at-once" } = playOptions;
    clock.catchUp();
    const subject = found(id);
    checkName("scenario", scenario, Object.keys(outcomes), "unknown_scenario");
    const { length: left } = stepsLeft(id);
    if (left > 0) {
      const message =
        `A scenario is in progress, with ${left} ${left === 1 ? "step" : "steps"} left. Take them with ` +
        "step, or advance the clock with clock.advance.";
      throw invalidArgument("scenario", message, "scenario_in_progress");
    }
    if (!outcomes[scenario].from.includes(subject.status)) throw unplayable(subject, scenario);
    const steps = plan(subject, scenario, playOptions);
    checkName("steps", pace, ["at-once", "on-clock", "by-hand"], "unknown_steps", "steps setting");
    if (pace === "at-once") {
      // Skips the intermediate states.
      const ends = steps.filter((it) => it.status !== "processing" || it === steps.at(-1));
      return structuredClone(ends.reduce(take, subject));
    }
    put(id, pace === "on-clock" ? steps : steps.map((step) => ({ ...step, dueMs: null })));
    return structuredClone(subject);
  }

  function unplayable({ status }: Subject, scenario: Scenario) {
    const { from } = outcomes[scenario];
    const isUnpaid = !from.includes("pending");
    const code = isUnpaid ? "payment_not_paid" : (`${name}_not_pending` as const);
    const cure = isUnpaid
      ? 'Simulate "success" on a pending payment first.'
      : status === "expired"
        ? 'Simulate "late", or create another payment.'
        : "Create another one.";
    return new InvalidRequestError(
      `The ${name} is ${status}, but must be ${from.join(" or ")} for ${show(scenario)}. ${cure}`,
      { code, param: `${name}Id` } as const,
    );
  }

  function put(id: string, steps: readonly Planned[]): void {
    const [first] = steps;
    if (first === undefined) plans.delete(id);
    else plans.set(id, steps);
    if (first && first.dueMs !== null) scheduleStep(id, first.dueMs);
  }

  /** The step may have been taken by hand before the clock reached it. */
  function takeIfDue(id: string): void {
    const [first, ...rest] = plans.get(id) ?? [];
    if (first === undefined || (first.dueMs ?? Number.POSITIVE_INFINITY) > clock.nowMs()) return;
    put(id, rest);
    const subject = find(id);
    if (subject !== undefined && !isOver(subject, first)) take(subject, first);
  }

  function stepsLeft(id: string): Planned[] {
    const subject = found(id);
    return (plans.get(id) ?? []).filter((it) => !isOver(subject, it));
  }

  async function step(id: string): Promise<Subject> {
    clock.catchUp();
    const [first, ...rest] = stepsLeft(id);
    if (first === undefined) {
      const message = 'No step is left. Start a scenario with simulate and { steps: "by-hand" }.';
      throw new InvalidRequestError(message, { code: "no_steps_ahead" });
    }
    put(id, rest);
    return structuredClone(take(found(id), first));
  }

  const upcoming = (id: string) =>
    stepsLeft(id).map(({ status, confirmations, dueMs }) => {
      const dueAt = dueMs === null ? null : new Date(dueMs).toISOString();
      return { status, confirmations, dueAt };
    });

  return { simulate, step, upcoming, all: () => structuredClone(options.all()) };
}

/** Whether the subject expired on the clock before the scenario ended it. */
function isOver(subject: { readonly status: string }, step: Step): boolean {
  return ["expired", "cancelled"].includes(step.status) && subject.status !== "pending";
}
