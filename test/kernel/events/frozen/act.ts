import type { JsonObject } from "@bufbuild/protobuf";

/** Calls on one organization. Answers undefined when the service does not know the rpc, or an id of the request is missing. */
export type Act = (
  rpc: string,
  request: Readonly<Record<string, JsonObject[string] | undefined>>,
  token?: string,
) => Promise<JsonObject | undefined>;

/** Reads the id of what was made; undefined when it was not. */
export function idOf(answer: JsonObject | undefined, field: string): string | undefined {
  const value = answer?.[field];
  return typeof value === "string" ? value : undefined;
}
