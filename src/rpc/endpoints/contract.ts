import { createOpenApi, type OpenApiOptions } from "./openapi/document.ts";
import { createFieldRules, type FieldRules } from "../calls/field-rules/field-rules.ts";

/** What follows from the protos alone. A process that starts several servers makes it once. */
export interface Contract {
  readonly fieldRules: FieldRules;
  /** The OpenAPI document, as bytes that all answers share. */
  readonly openApi: Uint8Array;
}

/** Creates the contract. Throws for field rules that do not compile. */
export function createContract(options: OpenApiOptions): Contract {
  const { services } = options;
  return {
    fieldRules: createFieldRules(services.flatMap(({ methods }) => methods.map(({ input }) => input))),
    openApi: Buffer.from(createOpenApi(options)),
  };
}
