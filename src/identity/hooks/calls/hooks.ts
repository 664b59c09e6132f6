import type { Origin } from "../../../kernel/base/call.ts";
import type { InstanceId } from "../../../kernel/base/ids.ts";
import type { FeatureContext } from "../../context.ts";
import { type HookSession, HooksNeeded, type KeptAnswer } from "./ask-hooks.ts";
import type { HookCaller } from "./hook-caller.ts";

/** Lets transactions ask hooks. */
export interface Hooks {
  /**
   * Runs work that asks hooks with `askHooks` in one transaction: again with their answers whenever answers are missing. What the work
   * does besides that transaction happens each time. A refusal that the work ends with is recorded afterwards, as is one that it throws.
   */
  run<T>(work: (session: HookSession) => Promise<T>): Promise<T>;
}

/** After so many rounds the question changes faster than hooks answer: a login asks three kinds of hooks, one after the other. */
const maxRounds = 5;

const recorder: Origin = { editor: "system", remoteAddress: undefined, requestId: "hooks" };

/** Creates what lets transactions ask hooks. */
export function createHooks(
  { database, log, keyring }: Pick<FeatureContext, "database" | "log" | "keyring">,
  instanceId: InstanceId,
  caller: Pick<HookCaller, "call">,
): Hooks {
  const record = async ({ decided }: HookSession): Promise<void> => {
    const refusals = [...decided.values()].flatMap(({ refusal }) => refusal ?? []);
    if (refusals.length > 0)
      await database.write(async (tx) => void (await log.append(tx, recorder, refusals)));
  };
  return {
    async run(work) {
      const answers: HookSession["answers"] = new Map();
      let newUserId: HookSession["newUserId"];
      for (let round = 0; ; round += 1) {
        const session: HookSession = {
          instanceId,
          keyring,
          answers,
          isLast: round === maxRounds,
          decided: new Map(),
          newUserId,
        };
        try {
          const result = await work(session);
          await record(session);
          return result;
        } catch (error) {
          if (!(error instanceof HooksNeeded)) {
            await record(session);
            throw error;
          }
          const asked = error.calls.map(async ({ key, ...call }) =>
            answers.set(key, await caller.call(call)),
          );
          await Promise.all(asked);
          ({ newUserId } = session);
        }
      }
    },
  };
}

/** Gives a session the answers that an earlier one has used. */
export function keepAnswers({ answers }: HookSession, kept: readonly KeptAnswer[]): void {
  for (const [key, outcome] of kept) if (!answers.has(key)) answers.set(key, outcome);
}
