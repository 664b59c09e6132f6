import { describe, expect, test } from "@jest/globals";
import { create, type DescField, type DescMessage, getOption, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { Validator } from "@seriousme/openapi-schema-validator";
import { protoComments } from "../../../../gen/comments.ts";
import { Effect, effect } from "../../../../gen/gatehouse/v1/effect_pb.ts";
import { createOpenApi } from "../../../../src/sites/rpc/endpoints/openapi/document.ts";
import { etagOf } from "../../../../src/sites/rpc/lanes/rest/etag.ts";
import { listMethods, listServices } from "../../../support/methods.ts";
import type { Loose } from "../../../kernel/http/support/http.ts";

const services = await listServices();
const methods = await listMethods();
const document: Loose = JSON.parse(createOpenApi({ services, comments: protoComments, version: "0" }));

const operations = Object.values<Loose>(document.paths).flatMap((path) =>
  Object.entries<Loose>(path).map(([verb, operation]) => ({
    id: operation.operationId as string,
    verb,
    operation,
    method: methods.find(({ name, parent }) => {
      const [service, rpc] = operation.operationId.split("_");
      return name === rpc && parent.name === service;
    })!,
  })),
);

/** What each effect says of the headers (proto/gatehouse/v1/effect.proto), once more. */
const taken: Readonly<Partial<Record<Effect, readonly string[]>>> = {
  [Effect.READ]: [],
  [Effect.ADD]: ["idempotency-key", "x-service-validate-only"],
  [Effect.CHANGE]: ["idempotency-key", "if-match", "x-service-validate-only"],
  [Effect.CHANGE_SEVERAL]: ["idempotency-key", "x-service-validate-only"],
};

describe("the OpenAPI document", () => {
  test("is valid with every service, and has every unary rpc", async () => {
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
    const described = new Set(operations.map(({ method }) => method));
    expect(methods.filter((method) => !described.has(method)).map(String)).toEqual([]);
  });

  test.each(operations)("$id says which headers it takes, and what it may answer", (input) => {
    const { operation, method, verb } = input;
    const effectOf = getOption(method, effect);
    const parameters: Loose[] = operation.parameters ?? [];
    const headers = parameters.filter((each) => each.in === "header" && each.name !== "x-service-orgid");
    expect(headers.map(({ name }) => name)).toEqual(taken[effectOf]);
    expect(headers.filter(({ required }) => required === true)).toEqual([]);
    expect("412" in operation.responses).toBe(effectOf === Effect.CHANGE);
    const tag = verb === "get" ? etagOf(sampleOf(method.output)) : undefined;
    const read = tag === undefined ? [] : ["etag"];
    const expected = effectOf === Effect.READ ? read : ["idempotency-replayed", "x-service-validated-only"];
    expect(Object.keys(operation.responses["200"].headers ?? {})).toEqual(expected);
  });

  test("closes requests, down to the last message in them, and leaves answers open", () => {
    const closed = new Map<string, unknown>();
    const walk = (schema: Loose, name: string): void => {
      const target = schema.$ref?.split("/").at(-1);
      if (target !== undefined && closed.has(target)) return;
      const full = target === undefined ? schema : document.components.schemas[target];
      if (full.type === "object" && full.properties !== undefined)
        closed.set(target ?? name, full.additionalProperties);
      const inner = [...Object.values<Loose>(full.properties ?? {}), full.items, ...(full.allOf ?? [])];
      for (const each of inner.filter((part) => part?.oneOf === undefined && part !== undefined))
        walk(each, name);
    };
    for (const { id, operation } of operations)
      if (operation.requestBody !== undefined)
        walk(operation.requestBody.content["application/json"].schema, id);
    expect(closed.size).toBeGreaterThan(100);
    expect([...closed].filter(([, isOpen]) => isOpen !== false)).toEqual([]);
    closed.clear();
    for (const { operation } of operations)
      walk(operation.responses["200"].content["application/json"].schema, "answer");
    expect(closed.size).toBeGreaterThan(100);
    expect([...closed].filter(([, isOpen]) => isOpen === false)).toEqual([]);
  });

  test("requires all fields but those that may really be absent", () => {
    const optional = Object.entries<Loose>(document.components.schemas).flatMap(([name, schema]) =>
      schema.additionalProperties === false
        ? []
        : Object.keys(schema.properties ?? {})
            .filter((field) => !(schema.required ?? []).includes(field))
            .map((field) => `${name}.${field}`),
    );
    expect(optional.filter((each) => !each.startsWith("WriteResult."))).toEqual([
      "AccessStep.startDate",
      "AccessStep.endDate",
      "AppleConfig.privateKey",
      "Application.saml",
      "Application.oidc",
      "Application.api",
      "CustomTexts.details",
      "EntraConfig.clientSecret",
      "ExplainAccessResponse.allowed", // of the texts of the product
      "GithubConfig.clientSecret",
      "GitlabConfig.clientSecret",
      "GoogleConfig.clientSecret",
      "Group.sourceIdpId",
      "Group.sourceUserId",
      "Group.sourceHookId",
      "GroupGrant.startDate",
      "GroupGrant.endDate",
      "GroupMember.userId",
      "GroupMember.groupId",
      "GroupMember.startDate",
      "GroupMember.endDate",
      "HumanUser.passwordChangeDate",
      "HumanUser.invitation", // of the users who are invited
      "IdentityProvider.jwt",
      "IdentityProvider.oidc",
      "IdentityProvider.ldap",
      "IdentityProvider.saml",
      "IdentityProvider.google",
      "IdentityProvider.entra",
      "IdentityProvider.github",
      "IdentityProvider.gitlab",
      "IdentityProvider.apple",
      "Key.expirationDate",
      "LabelPolicy.details", // of the look of the product
      "LabelPolicy.draft", // where there is no branding
      "LdapConfig.bindPassword",
      "ListDetails.totalResult",
      "LoginPolicy.details", // of the default that nobody has set
      "Membership.instance",
      "Membership.organizationId",
      "Membership.projectId",
      "Membership.projectGrantId",
      "Membership.startDate",
      "Membership.endDate",
      "ObjectDetails.creationDate", // of VerifyU2f, VerifyPhone and VerifyEmail
      "OidcConfig.clientSecret",
      "PersonalAccessToken.expirationDate",
      "ProjectGrant.startDate",
      "ProjectGrant.endDate",
      "RegisterPasskeyResponse.publicKeyCredentialCreationOptions", // the same
      "RegisterU2fResponse.publicKeyCredentialCreationOptions", // shown once
      "SamlCertificate.notAfter",
      "SamlConfig.metadataFetchDate",
      "ScopedPermissions.instance",
      "ScopedPermissions.organizationId",
      "ScopedPermissions.projectId",
      "ScopedPermissions.projectGrantId",
      "SigningKey.expirationDate",
      "StoredClaimMapping.leftOutDate",
      "Target.nextAttemptDate",
      "User.human",
      "User.service",
      "UserGrant.startDate",
      "UserGrant.endDate",
    ]);
  });

  test("gives values the bounds that the service has", () => {
    const all = operations.flatMap(({ operation }) => (operation.parameters ?? []) as Loose[]);
    const schemaOf = (header: string): Loose => all.find(({ name }) => name === header).schema;
    expect(schemaOf("idempotency-key")).toMatchObject({ type: "string", minLength: 1, maxLength: 200 });
    expect(schemaOf("x-service-validate-only")).toEqual({ type: "boolean" });
    const { type, pattern } = schemaOf("if-match");
    const good = ['"1767225600000000"', "*"];
    const bad = ["1767225600000000", 'W/"1"', '"1", "2"', '""', ""];
    expect([type, [...good, ...bad].filter((value) => new RegExp(pattern, "u").test(value))]).toEqual([
      "string",
      good,
    ]);
  });

  test("has an etag on more than one read, and not on lists", () => {
    const tagged = operations.filter(({ operation }) => "etag" in (operation.responses["200"].headers ?? {}));
    expect(tagged.map(({ id }) => id)).toContain("ProjectService_GetProject");
    expect(tagged.filter(({ id }) => !/_Get[A-Z]/.test(id))).toEqual([]);
  });

  test.each(document.tags as { name: string; description: string }[])(
    "$name says which reasons the headers add",
    ({ name, description }) => {
      const { methods: own } = services.find((service) => service.name === name)!;
      const effects = own.map((method) => getOption(method, effect));
      const isChanging = effects.some((each) => each !== Effect.READ);
      expect([
        description.includes("`idempotency-key`"),
        description.includes("`x-service-validate-only`"),
        description.includes("IDEMPOTENCY_KEY_REUSED"),
        description.includes("SEQUENCE_MISMATCH"),
      ]).toEqual([isChanging, isChanging, isChanging, effects.includes(Effect.CHANGE)]);
    },
  );
});

/** Makes a message with all its singular messages, two levels deep: an object with its details. */
function sampleOf(desc: DescMessage, depth = 2): Message {
  const message = create(desc);
  if (depth === 0) return message;
  const isSingular = (field: DescField) => field.fieldKind === "message" && field.oneof === undefined;
  for (const field of desc.fields.filter(isSingular)) {
    if (field.fieldKind === "message")
      reflect(desc, message).set(field, reflect(field.message, sampleOf(field.message, depth - 1)));
  }
  return message;
}
