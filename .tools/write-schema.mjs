// Writes the JSON Schema of configurations into docs/configuration.schema.json. test/applying/schema.test.ts compares them.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { protoComments } from "../gen/comments.ts";
import { configurationKinds } from "../src/applying/kinds/configuration-kinds.ts";
import { toJsonSchema } from "../src/applying/schema/json-schema.ts";

const file = fileURLToPath(new URL("../docs/configuration.schema.json", import.meta.url));
writeFileSync(file, `${JSON.stringify(toJsonSchema(configurationKinds, protoComments), undefined, 2)}\n`);
