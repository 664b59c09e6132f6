import { createOpenApi, type OpenApiOptions } from "./openapi/document.ts";
import { createFieldRules, type FieldRules } from "../calls/field-rules/field-rules.ts";

/** What follows from the protos alone. A process that starts one server after the other makes it once. */
export interface Contract {
  readonly fieldRules: FieldRules;
  /** The OpenAPI document. Bytes, made once: all answers that wait for their readers share them. */
  readonly openApi: Uint8Array;
}

/** Throws for field rules that do not compile. */
export function createContract(options: OpenApiOptions): Contract {
  const { services } = options;
  return {
    fieldRules: createFieldRules(services.flatMap(({ methods }) => methods.map(({ input }) => input))),
    openApi: Buffer.from(createOpenApi(options)),
  };
}
