import { createOpenApi, type OpenApiOptions } from "./openapi/document.ts";
import { createFieldRules, type FieldRules } from "../calls/field-rules/field-rules.ts";

/** Everything that follows from the protos alone. A process that starts several servers makes it once. */
export interface Contract {
  readonly fieldRules: FieldRules;
  /** The OpenAPI document, as bytes that all waiting answers share. */
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
