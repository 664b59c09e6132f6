import { type DescMessage, type DescMethod, getOption } from "@bufbuild/protobuf";
import { Effect, effect as effectOption } from "../../../../../gen/gatehouse/v1/effect_pb.ts";
import { ObjectDetailsSchema } from "../../../../../gen/gatehouse/v1/object_pb.ts";
import type { Route } from "../../lanes/rest/routes.ts";
import type { Schema } from "./schema.ts";

/** Returns the parameters for the headers that a call accepts by its effect; none for a call that changes nothing. */
export function conditionParameters(method: DescMethod): readonly Schema[] {
  const effect = getOption(method, effectOption);
  if (effect === Effect.READ) return [];
  return [idempotencyKey, ...(effect === Effect.CHANGE ? [ifMatch] : []), validateOnly];
}

/** Whether the call may answer 412, because the object is not the version that the caller expects. */
export function mayMismatch(method: DescMethod): boolean {
  return getOption(method, effectOption) === Effect.CHANGE;
}

/** Returns the headers of the answer that belong to these parameters, or that give the sequence for `if-match`. */
export function conditionAnswerHeaders(method: DescMethod, route: Route): Readonly<Record<string, Schema>> {
  if (getOption(method, effectOption) !== Effect.READ) {
    return { "idempotency-replayed": idempotencyReplayed, "x-service-validated-only": validatedOnly };
  }
  return route.verb === "GET" && isOneObject(method.output) ? { etag } : {};
}

/** The same rule as `etagOf` has for an answer. */
function isOneObject({ fields }: DescMessage): boolean {
  const [object, ...more] = fields.filter(({ fieldKind }) => fieldKind !== "scalar" && fieldKind !== "enum");
  const details = object?.fieldKind === "message" ? object.message.field["details"] : undefined;
  return more.length === 0 && details?.message?.typeName === ObjectDetailsSchema.typeName;
}

/** Pattern of `if-match`, without the anchors. */
export const ifMatchPattern = String.raw`(\*|"[0-9]{1,20}")`;

const idempotencyKey: Schema = {
  name: "idempotency-key",
  in: "header",
  description:
    "Names the call: a repeat with the same key and request within 24 hours is answered as the first one was, and " +
    "does nothing. With another request it fails with IDEMPOTENCY_KEY_REUSED.",
  schema: { type: "string", minLength: 1, maxLength: 200, pattern: "^[ -~]+$" },
};

const ifMatch: Schema = {
  name: "if-match",
  in: "header",
  description:
    "Performs the call only if the object has this sequence, in quotes, or exists, for `*`. Otherwise it fails with " +
    "SEQUENCE_MISMATCH.",
  schema: { type: "string", pattern: `^${ifMatchPattern}$` },
};

const validateOnly: Schema = {
  name: "x-service-validate-only",
  in: "header",
  description:
    "True: the call is checked and answered as if it were performed, but nothing is stored or sent.",
  schema: { type: "boolean" },
};

const idempotencyReplayed: Schema = {
  description:
    "True: the answer to an earlier call with the same `idempotency-key`, without values that are shown only once.",
  schema: { type: "boolean" },
};

const validatedOnly: Schema = {
  description: "True: nothing was done. Ids, sequences and dates of the answer are not final.",
  schema: { type: "boolean" },
};

const etag: Schema = {
  description: "The sequence of the object in quotes, to send in `if-match`.",
  schema: { type: "string", pattern: '^"[0-9]{1,20}"$' },
};
