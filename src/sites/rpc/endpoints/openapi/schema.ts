/** A JSON Schema of OpenAPI 3.1, or another object of an OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;
