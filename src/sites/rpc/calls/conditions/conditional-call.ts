import { clone, type DescMethod, fromBinary, getOption, type Message, toBinary } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { sensitive } from "../../../../../gen/gatehouse/v1/sensitive_pb.ts";
import type { Call } from "../../../../kernel/base/call.ts";
import { Problem, type ProblemInit } from "../../../../kernel/base/problem.ts";
import type { AnswerStore } from "../../../../identity/idempotency/commands.ts";
import type { KeyedCall, Ending } from "../../../../identity/idempotency/stored-answer.ts";
import { type Conditions, createMatch } from "./headers.ts";
import { answerInTransaction, type Attempt, type TransactionSteps } from "./answer-in-transaction.ts";

/** An authorized call, and everything that its conditions need. */
export interface ConditionalCall {
  readonly descriptor: DescMethod;
  readonly conditions: Conditions;
  readonly call: Call;
  readonly request: Message;
  /** The organization that the caller named by a header; undefined when there is no header, or the call does not read it. */
  readonly organizationId: string | undefined;
  /** Set when what the call is about does not exist. A repeat is answered all the same. */
  readonly problem: Problem | undefined;
  readonly run: (call: Call) => Promise<Message>;
  readonly answerHeader: (name: string, value: string) => void;
}

/** Makes the call under its conditions, or repeats the answer of an earlier same call. */
export async function callConditionally(answers: AnswerStore, input: ConditionalCall): Promise<Message> {
  const asked = toKeyedCall(input);
  const before = asked && (await answers.find(asked));
  if (before !== undefined) return replay(input, before);
  let attempt: Attempt;
  try {
    attempt = await attemptCall(answers, asked, input);
  } catch (error) {
    // The same call may have been done meanwhile, and this one may have failed because of it: the name is taken now.
    const meanwhile = asked && (await findAfter(answers, asked, error));
    if (meanwhile === undefined) throw error;
    return replay(input, meanwhile);
  }
  switch (attempt.kind) {
    case "done":
      return attempt.answer;
    case "repeated":
      return replay(input, attempt.ending);
    case "refused":
      throw attempt.problem;
    case "tried":
      input.answerHeader("x-service-validated-only", "true");
      return withoutSecrets(input.descriptor, attempt.answer);
  }
}

/** Looks for the answer of the same call after this one failed. If that is impossible now, the error itself says more. */
async function findAfter(
  answers: AnswerStore,
  asked: KeyedCall,
  error: unknown,
): Promise<Ending | undefined> {
  try {
    return await answers.find(asked);
  } catch (failure) {
    throw failure instanceof Problem && failure.kind === "unavailable" ? error : failure;
  }
}

async function attemptCall(
  answers: AnswerStore,
  asked: KeyedCall | undefined,
  { problem: missing, conditions, call, descriptor, run }: ConditionalCall,
): Promise<Attempt> {
  if (missing !== undefined) throw missing;
  const { ifMatch, isDryRun } = conditions;
  const match = ifMatch === undefined ? undefined : createMatch(ifMatch);
  const steps: TransactionSteps = {
    findEarlier: async (tx) => asked && (await answers.findIn(tx, asked)),
    async finish(tx, answer) {
      match?.finish();
      if (isDryRun) return "undo";
      if (asked !== undefined) {
        const message = toBinary(descriptor.output, withoutSecrets(descriptor, answer));
        await answers.put(tx, asked, { kind: "answer", message });
      }
      return "keep";
    },
    async refuse(tx, problem) {
      if (isDryRun) throw problem; // instead of returning it, so that nothing of it stays
      if (asked !== undefined) await answers.put(tx, asked, { kind: "problem", problem: toInit(problem) });
    },
  };
  return await answerInTransaction(steps, (unit) =>
    run({ ...call, unit, requireMatch: match?.require, isDryRun }),
  );
}

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

/** Copies the answer without the fields that are marked `sensitive`, which are shown only once. */
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
