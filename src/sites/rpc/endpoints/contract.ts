import type { OpenApiOptions } from "./openapi/document.ts";
import { createFieldRules, type FieldRules } from "../calls/field-rules/field-rules.ts";

/** What follows from the protos alone. A process that starts several servers makes it once. */
export interface Contract {
  readonly fieldRules: FieldRules;
  /** Returns the OpenAPI document, as bytes that all answers share. It is made when it is first asked for. */
  openApi(): Promise<Uint8Array>;
}

/** Creates the contract. */
export function createContract(options: Omit<OpenApiOptions, "comments">): Contract {
  const { services } = options;
  let document: Promise<Uint8Array> | undefined;
  return {
    fieldRules: createFieldRules(services.flatMap(({ methods }) => methods.map(({ input }) => input))),
    openApi: () => (document ??= makeDocument(options)),
  };
}

async function makeDocument(options: Omit<OpenApiOptions, "comments">): Promise<Uint8Array> {
  const { createOpenApi } = await import("./openapi/document.ts");
  const { protoComments: comments } = await import("../../../../gen/comments.ts");
  return Buffer.from(createOpenApi({ ...options, comments }));
}
