import { isMessage, type Message } from "@bufbuild/protobuf";
import { ObjectDetailsSchema } from "../../../../gen/gatehouse/v1/object_pb.ts";

/**
 * Returns the `etag` of an answer with one object: its sequence, in the form of `if-match`. Undefined for all other
 * answers.
 */
export function etagOf(answer: Message): string | undefined {
  const parts = Object.values(answer).filter((value) => typeof value === "object");
  const [object, ...more] = parts;
  if (more.length > 0 || !isMessage(object) || !("details" in object)) return undefined;
  const { details } = object;
  return isMessage(details, ObjectDetailsSchema) ? `"${details.sequence}"` : undefined;
}
