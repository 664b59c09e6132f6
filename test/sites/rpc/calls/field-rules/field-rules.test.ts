import { describe, expect, test } from "@jest/globals";
import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { CreateSamlApplicationRequestSchema } from "../../../../../gen/gatehouse/v1/application_service_pb.ts";
import { CreateIdentityProviderRequestSchema } from "../../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { AddUserGrantRequestSchema } from "../../../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { createFieldRules } from "../../../../../src/sites/rpc/calls/field-rules/field-rules.ts";
import { listServices } from "../../../../support/methods.ts";

const types = [
  AddUserGrantRequestSchema,
  CreateIdentityProviderRequestSchema,
  CreateSamlApplicationRequestSchema,
];
const rules = createFieldRules(types);
const check = <S extends DescMessage>(schema: S, init: MessageInitShape<S>) =>
  rules.check(schema, create(schema, init));
const jwt = { jwtEndpoint: "https://a/", issuer: "i", keysEndpoint: "https://a/", headerName: "h" };

describe("what is far over its bound", () => {
  test("is reported once, and little of it is looked into", () => {
    const roleKeys = Array.from({ length: 100_000 }, (_each, index) => (index > 1000 ? "" : "x"));
    const violations = check(AddUserGrantRequestSchema, {
      userId: "1",
      projectId: "x".repeat(8_000_000),
      roleKeys,
    });
    expect(violations).toEqual([
      { field: "project_id", description: "must be at most 200 characters" },
      { field: "role_keys", description: "must have at most 1000 entries" },
    ]);
  });

  test("is found in messages inside of the message", () => {
    const value = { ...jwt, issuer: "x".repeat(401) };
    expect(check(CreateIdentityProviderRequestSchema, { name: "n", config: { case: "jwt", value } })).toEqual(
      [{ field: "jwt.issuer", description: "must be at most 200 characters" }],
    );
  });

  test("is found in messages and texts of lists", () => {
    const keys = check(AddUserGrantRequestSchema, {
      userId: "1",
      projectId: "1",
      roleKeys: ["x".repeat(8_000_000)],
    });
    expect(keys).toEqual([{ field: "role_keys[0]", description: "must be at most 200 characters" }]);
  });

  test("does not hide other broken rules", () => {
    const violations = check(AddUserGrantRequestSchema, { projectId: "x".repeat(401), roleKeys: [""] });
    expect(violations.map(({ field }) => field)).toEqual(["user_id", "project_id", "role_keys[0]"]);
  });

  test("does not hide a text of characters that have two units each", () => {
    expect(check(AddUserGrantRequestSchema, { userId: "😀".repeat(200), projectId: "1" })).toEqual([]);
  });
});

describe("a rule of a whole message", () => {
  test("names the field that it is about", () => {
    const fields = (config: MessageInitShape<typeof CreateIdentityProviderRequestSchema>["config"]) =>
      check(CreateIdentityProviderRequestSchema, { name: "n", config: config! }).map(({ field }) => field);
    expect(fields({ case: "jwt", value: { ...jwt, headerName: "" } })).toEqual(["jwt.header_name"]);
    expect(fields({ case: "oidc", value: { clientId: "c", issuer: "https://a" } })).toEqual([
      "oidc.client_secret",
    ]);
    const violations = check(CreateSamlApplicationRequestSchema, { projectId: "1", name: "n" });
    expect(violations.map(({ field }) => field)).toEqual(["metadata_xml"]);
  });
});

test("the rules of every request compile", async () => {
  const requests = (await listServices()).flatMap(({ methods }) => methods.map(({ input }) => input));
  await createFieldRules(requests).warmUp();
  expect(requests.length).toBeGreaterThan(100);
});
