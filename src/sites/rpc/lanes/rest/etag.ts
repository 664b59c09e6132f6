import { isMessage, type Message } from "@bufbuild/protobuf";
import { ObjectDetailsSchema } from "../../../../../gen/gatehouse/v1/object_pb.ts";

/**
 * Makes the `etag` of an answer that is one object: its sequence, as `if-match` takes it. Undefined for all other answers.
 */
export function etagOf(answer: Message): string | undefined {
  const parts = Object.values(answer).filter((value) => typeof value === "object");
  const [object, ...more] = parts;
  if (more.length > 0 || !isMessage(object) || !("details" in object)) return undefined;
  const { details } = object;
  return isMessage(details, ObjectDetailsSchema) ? `"${details.sequence}"` : undefined;
}
