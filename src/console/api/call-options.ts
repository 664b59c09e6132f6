import { type CallOptions, Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../../../gen/console/google/rpc/error_details_pb.ts";
import type { ObjectDetails } from "../../../gen/console/gatehouse/v1/object_pb.ts";

/** The version of an object: what of its details changes with each of its changes. */
export type ObjectVersion = Pick<ObjectDetails, "sequence">;

/** Options of a change: it is done only if the object is still of this version. */
export function ifUnchanged(version: ObjectVersion | undefined): CallOptions {
  return version === undefined ? {} : { headers: { "if-match": `"${version.sequence}"` } };
}

/** Options of a creation: a repeat with the same key adds nothing and gets the same answer, for 24 hours. */
export function withKey(key: string): CallOptions {
  return { headers: { "idempotency-key": key } };
}

const dryRunName = "x-service-validate-only";

/**
 * Options of a dry run: the call is checked and answered, and nothing is changed. Only a header makes it one, which something on
 * the way may drop; so a dry run follows an action of a person, and is never sent by a page that is only shown.
 */
export const dryRun: CallOptions = { headers: { [dryRunName]: "true" } };

/** Refuses the answer of a dry run that does not say that it was one: the call was made in earnest then. */
export const checkDryRun: Interceptor = (next) => async (request) => {
  const answer = await next(request);
  if (!request.header.has(dryRunName) || answer.header.get("x-service-validated-only") === "true")
    return answer;
  throw new ConnectError(
    `the answer of ${request.method.name} does not say that it was a dry run: the call may have been made`,
    Code.DataLoss,
    answer.header,
    [{ desc: ErrorInfoSchema, value: { reason: "DRY_RUN_IGNORED" } }],
  );
};

/** What was sent under a key, as JSON, so that only the same values are sent again under it. */
export interface SentKey {
  readonly key: string;
  readonly sent: string;
}

/** Keeps the key as long as the values are those that were sent with it, and makes another one for others. */
export function keyFor(last: SentKey | undefined, values: unknown, makeKey: () => string): SentKey {
  const sent = JSON.stringify(values);
  return last?.sent === sent ? last : { key: makeKey(), sent };
}
