import type { Loose } from "../../../kernel/http/support/http.ts";

/**
 * Returns TypeScript for the schemas of an OpenAPI document, as generators of clients write it: a type for each component, and
 * `Requests` and `Answers` with the body and the answer of each operation.
 */
export function typesOf(document: Loose): string {
  const components = Object.entries<Loose>(document.components.schemas).map(
    ([name, schema]) => `export type ${identifier(name)} = ${typeOf(schema)};`,
  );
  const operations = Object.values<Loose>(document.paths).flatMap((path) => Object.values<Loose>(path));
  const json = (at: Loose): Loose => at?.content["application/json"].schema;
  const members = (schemaOf: (operation: Loose) => Loose) =>
    operations.map((each) => {
      const schema = schemaOf(each);
      return `  ${each.operationId}: ${schema === undefined ? "never" : typeOf(schema)};`;
    });
  return [
    ...components,
    "export interface Requests {",
    ...members((operation) => json(operation.requestBody)),
    "}",
    "export interface Answers {",
    ...members((operation) => json(operation.responses["200"])),
    "}",
    "",
  ].join("\n");
}

function typeOf(schema: Loose): string {
  if (schema.$ref !== undefined) return identifier(schema.$ref.split("/").at(-1));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return `(${schema.enum.map((each: unknown) => JSON.stringify(each)).join(" | ")})`;
  switch (schema.type) {
    case "array":
      return `${typeOf(schema.items)}[]`;
    case "object":
      return schema.properties === undefined ? "Record<string, unknown>" : objectOf(schema);
    case "integer":
      return "number";
    case undefined:
      return schema.allOf === undefined ? "unknown" : typeOf(schema.allOf[0]);
    default:
      return schema.type;
  }
}

function objectOf({ properties, required = [] }: Loose): string {
  const members = Object.entries<Loose>(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`,
  );
  return `{ ${members.join("; ")} }`;
}

function identifier(name: string): string {
  return name.replaceAll(".", "_");
}
