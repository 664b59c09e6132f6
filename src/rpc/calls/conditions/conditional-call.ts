import { clone, type DescMethod, fromBinary, getOption, type Message, toBinary } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { sensitive } from "../../../../gen/gatehouse/v1/sensitive_pb.ts";
import type { Call } from "../../../base/call.ts";
import type { WriteTransaction } from "../../../base/database.ts";
import { Problem, type ProblemInit } from "../../../base/problem.ts";
import type { AnswerStore } from "../../../features/idempotency/commands.ts";
import type { KeyedCall, Ending } from "../../../features/idempotency/stored-answer.ts";
import { type Conditions, createMatch } from "./headers.ts";
import { holdWrite } from "./answer-in-transaction.ts";
import type { Arrival } from "../method.ts";

/** A call that was let in, and what it was let in with. */
export interface ConditionalCall {
  readonly descriptor: DescMethod;
  readonly conditions: Conditions;
  readonly call: Call;
  readonly request: Message;
  /** The organization that the caller named by a header; undefined when there is none, or it is not read. */
  readonly organizationId: string | undefined;
  /** What is wrong with the existence of what the call is about: no matter for a repeat. */
  readonly problem: Problem | undefined;
  readonly run: (call: Call) => Promise<Message>;
  readonly answerHeader: Arrival["answerHeader"];
}

/** Does the call under its conditions, or answers as it was answered before. */
export async function callConditionally(answers: AnswerStore, input: ConditionalCall): Promise<Message> {
  const asked = toKeyedCall(input);
  if (asked === undefined) return await attempt(answers, asked, input, noop);
  const before = await answers.find(asked);
  if (before !== undefined) return replay(input, before);
  let kept: Problem | undefined;
  try {
    return await attempt(answers, asked, input, (problem) => {
      kept = problem;
    });
  } catch (error) {
    if (error instanceof Repeated) return replay(input, error.ending);
    if (error === kept) throw error; // what is found now is this very call
    // The same call may have been done meanwhile, and be what this one failed on: a name that is taken now.
    const meanwhile = await answers.find(asked);
    if (meanwhile === undefined) throw error;
    return replay(input, meanwhile);
  }
}

const noop = (): void => {};

/** Does the call. `onKept` is told the problem that is stored as the end of it. */
async function attempt(
  answers: AnswerStore,
  asked: KeyedCall | undefined,
  input: ConditionalCall,
  onKept: (problem: Problem) => void,
): Promise<Message> {
  const { conditions, call, descriptor } = input;
  if (input.problem !== undefined) throw input.problem;
  const match = conditions.ifMatch === undefined ? undefined : createMatch(conditions.ifMatch);
  let tried: Message | undefined;
  const hold = {
    begin: async (tx: WriteTransaction) => {
      const ending = asked && (await answers.findIn(tx, asked));
      if (ending !== undefined) throw new Repeated(ending);
    },
    end: async (tx: WriteTransaction, answer: Message) => {
      match?.finish();
      if (conditions.isDryRun) {
        tried = answer;
        throw new Undone();
      }
      if (asked !== undefined) {
        const message = toBinary(descriptor.output, withoutSecrets(descriptor, answer));
        await answers.put(tx, asked, { kind: "answer", message });
      }
    },
    refuse: async (tx: WriteTransaction, problem: Problem) => {
      if (conditions.isDryRun) throw problem; // instead of returning it, so that nothing of it stays
      if (asked === undefined) return;
      await answers.put(tx, asked, { kind: "problem", problem: toInit(problem) });
      onKept(problem);
    },
  };
  const requireMatch = match?.require;
  try {
    return await holdWrite(hold, (unit) =>
      input.run({ ...call, unit, requireMatch, isDryRun: conditions.isDryRun }),
    );
  } catch (error) {
    if (!(error instanceof Undone) || tried === undefined) throw error;
    input.answerHeader("x-service-validated-only", "true");
    return withoutSecrets(descriptor, tried);
  }
}

/** Ends the transaction of a call that was made before. */
class Repeated extends Error {
  readonly ending: Ending;

  constructor(ending: Ending) {
    super("the call was made before");
    this.ending = ending;
  }
}

/** Ends the transaction of a call that is only tried. */
class Undone extends Error {}

function replay({ descriptor, answerHeader }: ConditionalCall, ending: Ending): Message {
  answerHeader("idempotency-replayed", "true");
  if (ending.kind === "problem") throw new Problem(ending.problem);
  return fromBinary(descriptor.output, ending.message);
}

function toKeyedCall(input: ConditionalCall): KeyedCall | undefined {
  const { descriptor, call, request, organizationId = "" } = input;
  const { idempotencyKey, ifMatch = "" } = input.conditions;
  if (idempotencyKey === undefined) return undefined;
  const bytes = Buffer.from(toBinary(descriptor.input, request)).toString("base64");
  return {
    userId: call.caller.userId,
    ...(call.caller.isLimited ? { limitedTokenId: call.caller.tokenId } : {}),
    method: `${descriptor.parent.typeName}/${descriptor.name}`,
    key: idempotencyKey,
    request: JSON.stringify([organizationId, ifMatch, bytes]),
  };
}

/** Returns the answer without its fields that are marked `sensitive`: what is shown once, and no second time. */
function withoutSecrets({ output }: DescMethod, answer: Message): Message {
  const copy = clone(output, answer);
  redact(reflect(output, copy));
  return copy;
}

function redact(message: ReflectMessage): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (getOption(field, sensitive)) message.clear(field);
    else if (field.fieldKind === "message") redact(message.get(field));
    else if (field.fieldKind === "list" && field.listKind === "message")
      for (const entry of message.get(field)) redact(entry as ReflectMessage); // a list of messages
  }
}

function toInit({
  kind,
  reason,
  message,
  metadata,
  violations,
  resource,
  retryAfterMs,
}: Problem): ProblemInit {
  return {
    kind,
    reason,
    message,
    metadata,
    violations,
    ...(resource === undefined ? {} : { resource }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
