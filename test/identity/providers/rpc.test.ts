import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test } from "@jest/globals";
import {
  AddJwtIdentityProviderRequestSchema,
  AddOidcIdentityProviderRequestSchema,
  CreateIdentityProviderRequestSchema,
  UpdateIdentityProviderRequestSchema,
  UpdateJwtIdentityProviderRequestSchema,
} from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { createIdentityProviderCommands } from "../../../src/identity/providers/commands.ts";
import { createIdentityProviderService } from "../../../src/identity/providers/rpc.ts";
import { createFieldRules } from "../../../src/sites/rpc/calls/field-rules/field-rules.ts";
import { openFeatureFixture } from "../../support/feature-fixture.ts";

const jwt = {
  jwtEndpoint: "http://idp.example.com/jwt?a=b",
  issuer: "any text",
  keysEndpoint: "https://idp.example.com/keys",
  headerName: "authorization",
};
const oidc = {
  clientId: "c",
  clientSecret: "canary-5501",
  issuer: "https://idp.example.com",
  scopes: ["a", "b", "a"],
};
const url = (length: number) => `https://idp.example.com/${"\u{1F511}".repeat(length - 24)}`;

const rules = createFieldRules([
  AddJwtIdentityProviderRequestSchema,
  AddOidcIdentityProviderRequestSchema,
  CreateIdentityProviderRequestSchema,
  UpdateIdentityProviderRequestSchema,
  UpdateJwtIdentityProviderRequestSchema,
]);

const fixture = await openFeatureFixture();
const service = createIdentityProviderService(
  createIdentityProviderCommands(fixture.context),
  fixture.context,
  {
    urls: { violationOf: () => undefined },
    directories: { violationOf: () => undefined, isFilter: async () => true },
  },
);
afterAll(() => fixture.close());

/** Returns the fields that the rules of proto and rpc find wrong together, as the pipeline reports them. */
function wrongFields(method: string, schema: DescMessage, init: object): readonly string[] {
  const message = create(schema, init as MessageInitShape<DescMessage>);
  const own = service.rpcs[method]?.check?.(message) ?? [];
  return [...rules.check(schema, message), ...own].map((violation) => violation.field);
}

/** A call that sets a configuration, what is wrong in it with a change, and the path of its fields. */
function laneOf(method: string, schema: DescMessage, kind: "jwt" | "oidc") {
  const isNested = schema.fields.some(({ localName }) => localName === kind);
  const check = (change: object) => {
    const value = { ...(kind === "jwt" ? jwt : oidc), ...change };
    return wrongFields(method, schema, {
      idpId: "1",
      name: "n",
      ...(isNested ? { config: { case: kind, value } } : value),
    });
  };
  return [method, check, isNested ? `${kind}.` : ""] as const;
}

describe("the field rules", () => {
  const lanes = [
    laneOf("addJwtIdentityProvider", AddJwtIdentityProviderRequestSchema, "jwt"),
    laneOf("updateJwtIdentityProvider", UpdateJwtIdentityProviderRequestSchema, "jwt"),
    laneOf("createIdentityProvider", CreateIdentityProviderRequestSchema, "jwt"),
    laneOf("updateIdentityProvider", UpdateIdentityProviderRequestSchema, "jwt"),
  ];

  test.each(lanes)("of %s name both endpoints that are no URLs", (_name, check, path) => {
    expect(check({})).toEqual([]);
    expect(check({ jwtEndpoint: "idp.example.com", keysEndpoint: "https://u@idp.example.com" })).toEqual([
      `${path}jwt_endpoint`,
      `${path}keys_endpoint`,
    ]);
  });

  test.each(lanes)("of %s refuse endpoints on hosts and ports that nobody can have", (_name, check, path) => {
    expect(check({ jwtEndpoint: "https://./", keysEndpoint: "https://a..b/" })).toEqual([
      `${path}jwt_endpoint`,
      `${path}keys_endpoint`,
    ]);
    expect(check({ jwtEndpoint: "https://a:0/", keysEndpoint: "https://a./" })).toEqual([
      `${path}jwt_endpoint`,
    ]);
  });

  test.each(lanes)("of %s report an endpoint that is empty, too long or no URL", (_name, check, path) => {
    expect(check({ jwtEndpoint: url(200), keysEndpoint: url(200) })).toEqual([]);
    expect(check({ jwtEndpoint: `${url(199)}#` })).toEqual([`${path}jwt_endpoint`]);
    expect(check({ jwtEndpoint: "", keysEndpoint: `${url(201)}#` })).toEqual([
      `${path}jwt_endpoint`,
      `${path}keys_endpoint`,
      `${path}keys_endpoint`,
    ]);
  });

  test("let only an update leave the header name empty", () => {
    const [add, update, createAny, updateAny] = lanes.map(([, check]) => check({ headerName: "" }));
    expect(add).toEqual(["header_name"]);
    expect(update).toEqual([]);
    expect(createAny).toEqual(["jwt.header_name"]);
    expect(updateAny).toEqual([]);
  });

  const oidcLanes = [
    laneOf("addOidcIdentityProvider", AddOidcIdentityProviderRequestSchema, "oidc"),
    laneOf("createIdentityProvider", CreateIdentityProviderRequestSchema, "oidc"),
    laneOf("updateIdentityProvider", UpdateIdentityProviderRequestSchema, "oidc"),
  ];

  test.each(oidcLanes)("of %s refuse an issuer with a query", (_name, check, path) => {
    expect(check({})).toEqual([]);
    expect(check({ issuer: "https://idp.example.com?a" })).toEqual([`${path}issuer`]);
  });

  test.each(oidcLanes)(
    "of %s refuse an issuer on a host or port that nobody can have",
    (_name, check, path) => {
      for (const issuer of ["https://./", "https://a..b", "https://a:0"])
        expect(check({ issuer })).toEqual([`${path}issuer`]);
    },
  );

  test.each(oidcLanes)("of %s report an issuer that is empty, too long or no URL", (_name, check, path) => {
    expect(check({ issuer: url(2048) })).toEqual([]);
    expect(check({ issuer: "" })).toEqual([`${path}issuer`]);
    expect(check({ issuer: `${url(2049)}?` })).toEqual([`${path}issuer`, `${path}issuer`]);
  });

  test.each(oidcLanes)("of %s allow 50 different scopes", (_name, check, path) => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);
    expect(check({ scopes: [...many(50), ...many(50)] })).toEqual([]);
    expect(check({ scopes: many(51) })).toEqual([`${path}scopes`]);
    expect(check({ scopes: many(1001) })).toEqual([`${path}scopes`]);
  });

  test("let only an update leave the client secret out, or empty", () => {
    for (const clientSecret of [undefined, ""]) {
      const [add, createAny, update] = oidcLanes.map(([, check]) => check({ clientSecret }));
      expect(add).toEqual(["client_secret"]);
      expect(createAny).toEqual(["oidc.client_secret"]);
      expect(update).toEqual([]);
    }
  });

  test.each(oidcLanes)("of %s refuse a client secret that is blank or too long", (_name, check, path) => {
    for (const clientSecret of ["  ", "x".repeat(201), "a\nb"])
      expect(check({ clientSecret })).toEqual([`${path}client_secret`]);
  });

  test("of createIdentityProvider and updateIdentityProvider demand a config", () => {
    const update = { idpId: "1", name: "n" };
    expect(
      wrongFields("createIdentityProvider", CreateIdentityProviderRequestSchema, { name: "n" }),
    ).toHaveLength(1);
    expect(wrongFields("updateIdentityProvider", UpdateIdentityProviderRequestSchema, update)).toHaveLength(
      1,
    );
  });
});
