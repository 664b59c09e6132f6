import type { DescField, DescMessage, JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import { fromJson, toJson } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { requestInvalid } from "../../../../kernel/base/problem.ts";
import { detailRegistry } from "../../errors/status.ts";
import { fieldUndecodable } from "../../errors/refusals.ts";
import { maxValuesOf } from "../message-types/value-bounds.ts";
import { fieldsByKey, isObject, settleMessage, shown } from "./check.ts";
import type { JsonPath, ScanFinding } from "./scan.ts";
import { scanJson } from "./scan.ts";

/** Deepest nesting of a body: the limit that protobuf has for messages. */
const maxDepth = 100;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a body into a JSON object; an empty body is `{}`. Raises INVALID_REQUEST for text that is not UTF-8, not JSON, nested
 * beyond 100 levels, with a key twice in one object, or with an integer beyond 2^53 as a number.
 */
export function parseJsonBody(desc: DescMessage, bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return {};
  const text = decodeText(bytes);
  const finding = scanJson(text, { maxDepth, maxValues: maxValuesOf(desc).json });
  if (finding !== undefined) throw complaintAbout(desc, finding);
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue; // what JSON.parse returns without a reviver
  } catch {
    throw requestInvalid("the body is not valid JSON");
  }
  if (!isObject(json)) throw requestInvalid("the body must be a JSON object");
  return json;
}

/** Turns the JSON object, which it changes, into the message that it stands for. Raises INVALID_REQUEST, which names the field. */
export function messageFromJson(desc: DescMessage, json: JsonObject): Message {
  const settled = settleMessage(desc, json, "");
  try {
    return fromJson(desc, settled);
  } catch (error) {
    const field = error instanceof Error && isFieldError(error.cause) ? error.cause.field().name : undefined;
    if (field !== undefined) throw fieldUndecodable(field, "cannot be decoded");
    throw requestInvalid(`the body is not a ${desc.typeName} in protobuf JSON`);
  }
}

/** Writes an answer as JSON text: with implicit fields at their defaults, without absent messages. */
export function toJsonText(desc: DescMessage, message: Message): string {
  return JSON.stringify(toJson(desc, message, { alwaysEmitImplicit: true, registry: detailRegistry }));
}

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw requestInvalid("the body is not valid UTF-8");
  }
}

function complaintAbout(desc: DescMessage, { kind, path }: ScanFinding) {
  const field = protoPathOf(desc, path);
  switch (kind) {
    case "too-deep":
      return requestInvalid(`the body is nested deeper than ${maxDepth} levels`);
    case "too-many":
      return requestInvalid(`the body has more than ${maxValuesOf(desc).json} values`);
    case "duplicate-key":
      return fieldUndecodable(field, "must not be sent twice");
    case "inexact-integer":
      return fieldUndecodable(field, "an integer beyond 2^53 must be sent as a string");
  }
}

/** Spells the path in proto names as far as the message knows them, and the rest as it was sent. */
function protoPathOf(desc: DescMessage, path: JsonPath): string {
  let known: DescMessage | undefined = desc;
  let text = "";
  for (const step of path) {
    if (typeof step === "number") {
      text += `[${step}]`;
      continue;
    }
    const field: DescField | undefined = known === undefined ? undefined : fieldsByKey(known).get(step);
    text += `${text === "" ? "" : "."}${field?.name ?? shown(step)}`;
    known = field?.message;
  }
  return text === "" ? "body" : text;
}
