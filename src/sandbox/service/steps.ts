import { InvalidRequestError } from "../../errors.ts";
import type { Store } from "../state/store.ts";
import type { Clock } from "../time/clock.ts";

/**
 * How the steps of a scenario are taken:
 *
 * - `at-once`, the default: straight to the end, without what lies between.
 * - `on-clock`: each when the sandbox's clock reaches it; `clock.advance` takes them on its way.
 * - `by-hand`: each by a call of `step`.
 */
export type ScenarioSteps = "at-once" | "on-clock" | "by-hand";

/** @throws {InvalidRequestError} code `unknown_steps`. */
export function checkSteps(steps: ScenarioSteps): ScenarioSteps {
  if (steps === "at-once" || steps === "on-clock" || steps === "by-hand") return steps;
  throw new InvalidRequestError('steps must be "at-once", "on-clock" or "by-hand".', {
    code: "unknown_steps",
    param: "steps",
  });
}

/** A step that is still to come. */
interface PlannedStep<Step> {
  readonly step: Step;
  /** When the clock takes it, in milliseconds since 1970; null where only a call does. */
  readonly dueMs: number | null;
}

/** The steps that payments, or withdrawals, still have to go. A plain value each, by their ids. */
interface StepPlans<Step> {
  begin(id: string, steps: readonly PlannedStep<Step>[]): void;
  ahead(id: string): readonly PlannedStep<Step>[];
  /**
   * Takes the next step off the plan, which has the clock look for the one after it.
   *
   * @throws {InvalidRequestError} code `no_steps_ahead`.
   */
  next(id: string): Step;
}

interface StepPlansOptions<Step> {
  readonly kind: "payment step" | "withdrawal step";
  readonly clock: Clock;
  readonly store: Store;
  /** Does what a step is, which the clock has come to. */
  readonly onDue: (id: string, step: Step) => void;
}

export function createStepPlans<Step>(options: StepPlansOptions<Step>): StepPlans<Step> {
  const { kind, clock, store, onDue } = options;
  const plans = store.table<readonly PlannedStep<Step>[]>(`${kind}s`);
  clock.onDue(kind, takeIfDue);

  function put(id: string, steps: readonly PlannedStep<Step>[]): void {
    const [first] = steps;
    if (first === undefined) {
      plans.delete(id);
      return;
    }
    plans.set(id, steps);
    if (first.dueMs !== null) clock.schedule({ dueMs: first.dueMs, kind, subject: id });
  }

  /** A step may have been taken by hand before the clock came to it. */
  function takeIfDue(id: string): void {
    const dueMs = plans.get(id)?.[0]?.dueMs ?? Number.POSITIVE_INFINITY;
    if (dueMs <= clock.nowMs()) onDue(id, next(id));
  }

  function next(id: string): Step {
    const [first, ...rest] = plans.get(id) ?? [];
    if (first === undefined) throw noStepsAhead();
    put(id, rest);
    return first.step;
  }

  return {
    begin: put,
    ahead: (id) => plans.get(id) ?? [],
    next,
  };
}

/** @throws {InvalidRequestError} code `scenario_in_progress`. */
export function checkNothingAhead(left: number): void {
  if (left === 0) return;
  throw new InvalidRequestError(
    `A scenario is still going on, with ${left} ${left === 1 ? "step" : "steps"} to go. Take them with ` +
      "step, or let the clock come to them with clock.advance.",
    { code: "scenario_in_progress", param: "scenario" },
  );
}

function noStepsAhead(): InvalidRequestError {
  return new InvalidRequestError(
    'No step is ahead. Begin with simulate and { steps: "by-hand" }, or create another one.',
    { code: "no_steps_ahead" },
  );
}
