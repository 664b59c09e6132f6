import type { Clock } from "../../../kernel/base/clock.ts";
import type { Random } from "../../../kernel/base/random.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { HookKind } from "../hook/hook.ts";
import { type BreakerState, closedBreaker, noteResult, passBreaker } from "./breaker.ts";
import { type HookFailure, type HookOutcome, maxAnswerBytes, readHookAnswer } from "./hook-answer.ts";

/** What is posted to a hook. */
export interface HookMessage {
  readonly id: string;
  readonly body: string;
  /** At least one. */
  readonly secrets: readonly Secret[];
  /** For everything together. */
  readonly timeoutMs: number;
  /** More of the answer is not read. */
  readonly maxBytes: number;
}

/** The answer to a message. `bytes` undefined: the body did not come whole within the limits. */
export type HookReply =
  | { readonly kind: "answered"; readonly status: number; readonly bytes?: Uint8Array | undefined }
  | { readonly kind: "forbidden" | "unreachable" };

/** Opens connections to hooks, to addresses that the service may connect to for callers. */
export interface HookPort {
  /** Connects with the first message, and keeps the connections of messages that were sent at once. */
  connect(url: string): { post(message: HookMessage): Promise<HookReply>; close(): void };
}

/** A call of a hook. */
export interface HookCall {
  readonly hook: {
    readonly id: string;
    readonly url: string;
    readonly timeoutMs: number;
    readonly kind: HookKind;
    readonly metadataKeys: readonly string[];
  };
  /** That of the last event about the hook. */
  readonly sequence: number;
  readonly secrets: readonly Secret[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** A call that has ended, for metrics and logs. */
export interface EndedHookCall {
  readonly hookId: string;
  readonly kind: HookKind;
  /** `skipped`: the hook has failed too often, and was not called. */
  readonly outcome: HookOutcome["kind"] | "skipped";
  readonly failure: HookFailure | undefined;
  /** Of the answer; 0: there was none. */
  readonly status: number;
  readonly durationMs: number;
}

/** Calls hooks, each over its own connections. */
export interface HookCaller {
  /** Never rejects. A hook that has failed five times in a row fails at once for 30 seconds, in this process. */
  call(call: HookCall): Promise<HookOutcome>;
  /** Calls a hook whatever it did before, with no effect on later calls. */
  tryOut(
    call: HookCall,
  ): Promise<{ readonly outcome: HookOutcome; readonly status: number; readonly durationMs: number }>;
  close(): void;
}

/** What calls are made with. */
export interface HookCallerSetup {
  readonly port: HookPort;
  readonly clock: Clock;
  readonly random: Random;
  /** A clock that only measures, in ms. */
  readonly measure: () => number;
  readonly onCall: (call: EndedHookCall) => void;
}

/** A hook that was called before. */
interface KnownHook {
  readonly sequence: number;
  readonly connection: ReturnType<HookPort["connect"]>;
  breaker: BreakerState;
}

/** Beyond this the hook that was called least lately is forgotten. */
const maxKnown = 500;

/** Creates what calls hooks. It remembers connections and failures of this process. */
export function createHookCaller(setup: HookCallerSetup): HookCaller {
  const known = new Map<string, KnownHook>();
  const find = ({ hook, sequence }: HookCall): KnownHook => {
    const former = known.get(hook.id);
    known.delete(hook.id);
    const isSame = former?.sequence === sequence;
    const found = isSame
      ? former
      : { sequence, connection: setup.port.connect(hook.url), breaker: closedBreaker };
    known.set(hook.id, found);
    // What is under way ends by itself, and so do connections that nobody uses.
    for (const id of known.keys()) if (known.size > maxKnown) known.delete(id);
    return found;
  };
  const post = async ({ hook, secrets, data }: HookCall, { connection }: Pick<KnownHook, "connection">) => {
    const begunMs = setup.measure();
    const reply = await connection.post({
      id: `hook_${Buffer.from(setup.random.bytes(16)).toString("base64url")}`,
      body: JSON.stringify({
        type: `hook.${hook.kind.toLowerCase()}`,
        timestamp: new Date(setup.clock.nowMs()).toISOString(),
        data,
      }),
      secrets,
      timeoutMs: hook.timeoutMs,
      maxBytes: maxAnswerBytes,
    });
    const status = reply.kind === "answered" ? reply.status : 0;
    return { outcome: toOutcome(hook, reply), status, durationMs: setup.measure() - begunMs };
  };
  return {
    async call(call) {
      const { id: hookId, kind } = call.hook;
      const hook = find(call);
      const passed = passBreaker(hook.breaker, setup.clock.nowMs());
      if (passed === undefined) {
        setup.onCall({ hookId, kind, outcome: "skipped", failure: undefined, status: 0, durationMs: 0 });
        return { kind: "failed", failure: "UNREACHABLE" };
      }
      hook.breaker = passed;
      const { outcome, status, durationMs } = await post(call, hook);
      hook.breaker = noteResult(hook.breaker, outcome.kind !== "failed", setup.clock.nowMs());
      const failure = outcome.kind === "failed" ? outcome.failure : undefined;
      setup.onCall({ hookId, kind, outcome: outcome.kind, failure, status, durationMs });
      return outcome;
    },
    async tryOut(call) {
      const connection = setup.port.connect(call.hook.url);
      try {
        return await post(call, { connection });
      } finally {
        connection.close();
      }
    },
    close() {
      for (const { connection } of known.values()) connection.close();
      known.clear();
    },
  };
}

function toOutcome(hook: HookCall["hook"], reply: HookReply): HookOutcome {
  switch (reply.kind) {
    case "forbidden":
      return { kind: "failed", failure: "FORBIDDEN" };
    case "unreachable":
      return { kind: "failed", failure: "UNREACHABLE" };
    case "answered":
      if (reply.status !== 200 && reply.status !== 204) return { kind: "failed", failure: "STATUS" };
      return reply.bytes === undefined
        ? { kind: "failed", failure: "ANSWER" }
        : readHookAnswer(hook, reply.status, reply.bytes);
  }
}
