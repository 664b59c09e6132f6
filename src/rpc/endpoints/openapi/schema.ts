/** A JSON Schema, as OpenAPI 3.1 has it, or another object of an OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;
