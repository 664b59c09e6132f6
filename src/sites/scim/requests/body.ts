import type { ScimOptions } from "../calls/rpc-calls.ts";
import { refusal } from "../errors/scim-error.ts";
import { contentTypeUnsupported } from "../../../kernel/http/errors/refusals.ts";
import { isMembers, type Json, type JsonMembers } from "../schemas/resource.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the body of a request: an object of JSON in UTF-8. Raises invalidSyntax, CONTENT_TYPE_UNSUPPORTED, MESSAGE_TOO_LARGE. */
export async function readBody(
  { bodies }: Pick<ScimOptions, "bodies">,
  exchange: Exchange,
  maxBytes?: number,
): Promise<JsonMembers> {
  const type = exchange.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== undefined && type !== "" && type !== "application/scim+json" && type !== "application/json")
    throw contentTypeUnsupported("use the content-type application/scim+json or application/json");
  const body = parse(await bodies.read(exchange, maxBytes));
  if (!isMembers(body)) throw refusal("invalidSyntax", "the body must be a JSON object");
  return body;
}

function parse(bytes: Uint8Array): Json {
  try {
    return JSON.parse(utf8.decode(bytes)) as Json;
  } catch {
    throw refusal("invalidSyntax", "the body is not valid JSON in UTF-8");
  }
}
