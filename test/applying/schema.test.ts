import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { protoComments } from "../../gen/comments.ts";
import { configurationKinds } from "../../src/applying/kinds/configuration-kinds.ts";
import { toJsonSchema } from "../../src/applying/schema/json-schema.ts";

const story = readFileSync(join(import.meta.dirname, "story.yaml"), "utf8");
const schema = toJsonSchema(configurationKinds, protoComments);

test("the JSON Schema is the one that the protos give: npm run gen", () => {
  const file = readFileSync(join(import.meta.dirname, "../../docs/configuration.schema.json"), "utf8");
  expect(JSON.parse(file)).toEqual(JSON.parse(JSON.stringify(schema)));
});

test("the JSON Schema takes a whole story, and refuses what reading refuses", () => {
  const validate = new Ajv2020({ allErrors: true, formats: { "date-time": true } }).compile(schema);
  const errorsOf = (content: string) => {
    validate(parse(content));
    return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  };
  expect(errorsOf(story)).toEqual([]);
  expect(errorsOf(story.replace("end_date: 2040-01-01T00:00:00Z", "end_date: null"))).toEqual([]);
  expect(errorsOf(story.replace("file:warehouse", "whsec_literal"))).toEqual([
    "/organizations/0/targets/0/signing_secret pattern",
  ]);
  expect(errorsOf(story.replace("force_mfa: true", "force_mfa: maybe"))).toEqual([
    "/organizations/0/login_policy/force_mfa type",
  ]);
  expect(errorsOf(story.replace("app_type: NATIVE", "app_type: TOASTER"))).toEqual([
    "/organizations/0/projects/0/oidc_applications/1/app_type enum",
  ]);
  expect(errorsOf("server: https://x\n")).toEqual([" additionalProperties"]);
  expect(errorsOf("organizations: [{ state: ACTIVE, owns: [login_policy] }]")).toEqual([
    "/organizations/0 required",
    "/organizations/0/owns/0 enum",
  ]);
});

test("the JSON Schema describes every field, as the protos do", () => {
  const fields = JSON.stringify(schema).match(/"description":""/g);
  expect(fields).toBeNull();
});
