import type { Random } from "../../hostile/support/random.ts";
import type { Caller, Ending } from "./calls.ts";
import { type Ground, nextStep, type Step } from "./steps.ts";
import type { Thing } from "./things.ts";

/** A write that the service said is done. */
export interface Acknowledged {
  readonly method: string;
  /** `details.sequence` of the answer. */
  readonly sequence: number;
  /** By the clock on the wall: when the call was sent and when its answer was there. */
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** Who writes at the same time, and what they know: things of their own, which nobody else touches. */
export interface Writers {
  readonly acknowledged: readonly Acknowledged[];
  /** How each call ended that was not acknowledged. */
  readonly others: readonly {
    readonly method: string;
    readonly ending: Exclude<Ending, { kind: "answer" }>;
  }[];
  /** All things that there were ever, and those that were touched since the last `settled`. */
  things(which: "all" | "touched"): readonly Thing[];
  /** The calls of which nobody knows whether they had an effect. */
  doubtful(): readonly Step[];
  /** Forgets what was touched and doubtful, once it is known. */
  settled(): void;
  /** Starts writing without a pause, with a connection each or a stream each. Ends when a call is cut, or by `end`. */
  start(connect: (index: number) => Caller): Running;
}

export interface Running {
  /** Resolves when so many more writes are acknowledged. Rejects when all writers have ended before. */
  reach(count: number): Promise<void>;
  /** Resolves when a call did not end with an answer, or `ended`. */
  readonly failed: Promise<void>;
  end(): void;
  /** Resolves when no call is under way any more. */
  readonly ended: Promise<void>;
}

interface State {
  readonly acknowledged: Acknowledged[];
  readonly others: { readonly method: string; readonly ending: Exclude<Ending, { kind: "answer" }> }[];
  readonly all: Set<Thing>;
  readonly touched: Set<Thing>;
  readonly doubtful: Step[];
}

/**
 * Makes so many writers. What a refused call asked for is taken for not done, unless `isRefusalDoubtful`. Writers who are
 * tireless go on after a call that was cut.
 */
export function createWriters(
  ground: Ground,
  random: Random,
  {
    count = 12,
    isRefusalDoubtful = false,
    isTireless = false,
  }: { count?: number; isRefusalDoubtful?: boolean; isTireless?: boolean } = {},
): Writers {
  const state: State = {
    acknowledged: [],
    others: [],
    all: new Set(),
    touched: new Set(),
    doubtful: [],
  };
  const own = Array.from({ length: count }, (): Thing[] => []);
  return {
    acknowledged: state.acknowledged,
    others: state.others,
    things: (which) => [...(which === "all" ? state.all : state.touched)],
    doubtful: () => state.doubtful,
    settled() {
      state.touched.clear();
      state.doubtful.length = 0;
      for (const things of own) things.splice(0, things.length, ...things.filter(isThere));
    },
    start(connect) {
      const progress = {
        mayRun: true,
        isEnded: false,
        onEnd: () => {},
        onProgress: () => {},
        onFailure: () => {},
      };
      const failed = new Promise<void>((resolve) => {
        progress.onFailure = resolve;
      });
      const runOne = async (things: Thing[], caller: Caller) => {
        while (progress.mayRun) {
          const step = nextStep(ground, things, random);
          const ending = await take(state, things, step, { caller, isRefusalDoubtful });
          if (ending.kind !== "answer") progress.onFailure();
          const isGone = ending.kind === "cut" || (ending.kind === "refused" && ending.status === 0);
          if (isGone && !isTireless) break;
          progress.onProgress();
        }
      };
      const ended = Promise.all(own.map((things, index) => runOne(things, connect(index)))).then(() => {
        progress.isEnded = true;
        progress.onEnd();
        progress.onFailure();
      });
      return {
        failed,
        ended,
        end() {
          progress.mayRun = false;
        },
        reach(more) {
          const goal = state.acknowledged.length + more;
          return new Promise((resolve, reject) => {
            progress.onProgress = () => {
              if (state.acknowledged.length >= goal) resolve();
            };
            progress.onEnd = () => reject(new Error(`only ${state.acknowledged.length} of ${goal} writes`));
            if (progress.isEnded) progress.onEnd();
          });
        },
      };
    },
  };
}

function isThere({ now, id }: Thing): boolean {
  return now !== undefined && id !== undefined;
}

/** Takes one step, and notes what is known of its things afterwards. */
async function take(
  state: State,
  things: Thing[],
  step: Step,
  { caller, isRefusalDoubtful }: { readonly caller: Caller; readonly isRefusalDoubtful: boolean },
): Promise<Ending> {
  for (const { thing } of step.changes) {
    state.touched.add(thing);
    state.all.add(thing);
  }
  const sentMs = Date.now();
  const ending = await caller.call(step.method, step.body);
  if (ending.kind === "answer") {
    const sequence = Number(ending.json.details.sequence);
    state.acknowledged.push({ method: step.method, sequence, sentMs, answeredMs: Date.now() });
    apply(step, things, ending.json, sequence);
  } else {
    state.others.push({ method: step.method, ending });
    if (ending.kind === "cut" || isRefusalDoubtful) {
      state.doubtful.push(step);
      letGo(step, things);
    }
  }
  return ending;
}

/** Lets a writer forget the things of a doubtful step, and what hangs together with them: they must know what they change. */
function letGo({ changes }: Step, things: Thing[]): void {
  const gone = new Set(
    changes.flatMap(({ thing }) => (thing.parent === undefined ? [thing] : [thing, thing.parent])),
  );
  const isKept = (thing: Thing) =>
    !gone.has(thing) && (thing.parent === undefined || !gone.has(thing.parent));
  things.splice(0, things.length, ...things.filter(isKept));
}

function apply(step: Step, things: Thing[], answer: Record<string, string>, sequence: number): void {
  for (const { thing, after } of step.changes) {
    if (step.idField !== undefined && thing.id === undefined) thing.id = answer[step.idField];
    thing.now = after;
    thing.sequence = step.movesDetails ? sequence : undefined;
    if (after === undefined && things.includes(thing)) things.splice(things.indexOf(thing), 1);
    else if (after !== undefined && !things.includes(thing)) things.push(thing);
  }
}
