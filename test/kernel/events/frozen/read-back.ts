import type { JsonObject } from "@bufbuild/protobuf";
import type { ApiCall, JsonApi } from "./json-api.ts";

/** A read and what it answered. */
export interface Answered {
  readonly call: ApiCall;
  readonly answer: JsonObject;
}

/** Fields of older answers that no answer has any more, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  clientSecret: "was always empty in answers, because a client secret is never shown",
};

/** Returns older answers without the fields that are gone. */
export function withoutGoneFields(answers: readonly Answered[]): readonly Answered[] {
  return JSON.parse(
    JSON.stringify(answers, (key, value: unknown) => (Object.hasOwn(leftOut, key) ? undefined : value)),
  ) as readonly Answered[];
}

/** Makes the reads that the service knows. The moment at which a list was made is left out. */
export async function readAll(api: JsonApi, calls: readonly ApiCall[]): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  for (const call of calls) {
    const found = await api.find(call);
    if (found === undefined) continue;
    const { details: _moment, ...answer } = found;
    answered.push({ call, answer });
  }
  return answered;
}
