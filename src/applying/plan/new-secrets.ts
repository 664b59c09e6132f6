import { getOption, type JsonObject } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { WriteResult } from "../../../gen/gatehouse/v1/batch_service_pb.ts";
import { sensitive } from "../../../gen/gatehouse/v1/sensitive_pb.ts";
import { answerIn, type PlacedItem } from "./send.ts";

/** A secret that the service has made, and shows only once. */
export interface NewSecret {
  readonly label: string;
  /** What it is in the answer, such as `client_secret`, and what stands beside it. */
  readonly fields: JsonObject;
}

/** Returns the secrets in the answers, each with the other texts of its answer: the id, and the client id. */
export function newSecretsIn(
  placed: readonly PlacedItem[],
  results: readonly WriteResult[],
): readonly NewSecret[] {
  return placed.flatMap(({ change, item }, index) => {
    const result = results[index];
    if (result === undefined) return [];
    const { desc, message } = answerIn(result, item);
    const answer = reflect(desc, message);
    const texts = desc.fields.flatMap((field): readonly (readonly [string, string])[] => {
      const value: unknown = field.fieldKind === "scalar" ? answer.get(field) : "";
      return typeof value === "string" && value !== "" ? [[field.name, value]] : [];
    });
    const hasSecret = desc.fields.some(
      (field) => getOption(field, sensitive) && texts.some(([name]) => name === field.name),
    );
    // What the file has given is no news.
    const isGiven = change.fields.some(({ isSecret }) => isSecret);
    return hasSecret && !isGiven ? [{ label: change.label, fields: Object.fromEntries(texts) }] : [];
  });
}
