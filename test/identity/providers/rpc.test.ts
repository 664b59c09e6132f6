import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { OidcMappingField, StylingType } from "../../../gen/gatehouse/v1/identity_provider_pb.ts";
import {
  AddJwtIdentityProviderRequestSchema,
  AddOidcIdentityProviderRequestSchema,
  CreateIdentityProviderRequestSchema,
  GetIdentityProviderRequestSchema,
  UpdateIdentityProviderRequestSchema,
  UpdateJwtIdentityProviderRequestSchema,
} from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import type { OrganizationId } from "../../../src/kernel/base/ids.ts";
import { createIdentityProviderCommands } from "../../../src/identity/providers/commands.ts";
import { createIdentityProviderService } from "../../../src/identity/providers/rpc.ts";
import type { Rpc, ServiceImplementation } from "../../../src/identity/rpc.ts";
import { createFieldRules } from "../../../src/sites/rpc/calls/field-rules/field-rules.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";

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

let fixture: FeatureFixture;
let service: ServiceImplementation;
let organization: OrganizationId;

/** Returns the fields that the rules of proto and rpc find wrong together, as the pipeline reports them. */
function wrongFields<D extends DescMessage>(
  method: string,
  schema: D,
  init: MessageInitShape<D>,
): readonly string[] {
  const message = create(schema, init);
  const own = service.rpcs[method]?.check?.(message) ?? [];
  return [...rules.check(schema, message), ...own].map((violation) => violation.field);
}

async function run<D extends DescMessage>(method: string, schema: D, init: MessageInitShape<D>) {
  const rpc = service.rpcs[method] as Rpc;
  return (await rpc.run(callAs(organization), create(schema, init))) as Record<string, never>;
}

const read = async (idpId: string) => {
  const answer = await run("getIdentityProvider", GetIdentityProviderRequestSchema, { idpId });
  return answer["identityProvider"] as unknown as Record<string, unknown>;
};

beforeAll(async () => {
  fixture = await openFeatureFixture();
  service = createIdentityProviderService(createIdentityProviderCommands(fixture.context), fixture.context, {
    violationOf: () => undefined,
  });
});

beforeEach(async () => {
  organization = await fixture.addOrganization();
});

afterAll(() => fixture.close());

describe("the field rules", () => {
  const lanes = [
    [
      "addJwtIdentityProvider",
      (change: object) =>
        wrongFields("addJwtIdentityProvider", AddJwtIdentityProviderRequestSchema, {
          name: "n",
          ...jwt,
          ...change,
        }),
      "",
    ],
    [
      "updateJwtIdentityProvider",
      (change: object) =>
        wrongFields("updateJwtIdentityProvider", UpdateJwtIdentityProviderRequestSchema, {
          idpId: "1",
          ...jwt,
          ...change,
        }),
      "",
    ],
    [
      "createIdentityProvider",
      (change: object) =>
        wrongFields("createIdentityProvider", CreateIdentityProviderRequestSchema, {
          name: "n",
          config: { case: "jwt", value: { ...jwt, ...change } },
        }),
      "jwt.",
    ],
    [
      "updateIdentityProvider",
      (change: object) =>
        wrongFields("updateIdentityProvider", UpdateIdentityProviderRequestSchema, {
          idpId: "1",
          name: "n",
          config: { case: "jwt", value: { ...jwt, ...change } },
        }),
      "jwt.",
    ],
  ] as const;

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
    [
      "addOidcIdentityProvider",
      (change: object) =>
        wrongFields("addOidcIdentityProvider", AddOidcIdentityProviderRequestSchema, {
          name: "n",
          ...oidc,
          ...change,
        }),
      "",
    ],
    [
      "createIdentityProvider",
      (change: object) =>
        wrongFields("createIdentityProvider", CreateIdentityProviderRequestSchema, {
          name: "n",
          config: { case: "oidc", value: { ...oidc, ...change } },
        }),
      "oidc.",
    ],
    [
      "updateIdentityProvider",
      (change: object) =>
        wrongFields("updateIdentityProvider", UpdateIdentityProviderRequestSchema, {
          idpId: "1",
          name: "n",
          config: { case: "oidc", value: { ...oidc, ...change } },
        }),
      "oidc.",
    ],
  ] as const;

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

describe("the answers", () => {
  test("read a provider added with the deprecated call", async () => {
    const request = { name: "n", stylingType: StylingType.GOOGLE, autoRegister: true, ...jwt };
    const { idpId } = await run("addJwtIdentityProvider", AddJwtIdentityProviderRequestSchema, request);
    expect(await read(idpId!)).toMatchObject({
      id: idpId,
      name: "n",
      stylingType: StylingType.GOOGLE,
      autoRegister: true,
      config: { case: "jwt", value: { ...jwt, audiences: [] } },
    });
  });

  test("read an empty header name back empty after an update", async () => {
    const config = { case: "jwt" as const, value: { ...jwt, audiences: ["x"] } };
    const request = { name: "n", config };
    const { idpId } = await run("createIdentityProvider", CreateIdentityProviderRequestSchema, request);
    const update = { idpId: idpId!, ...jwt, headerName: "" };
    const { details } = await run(
      "updateJwtIdentityProvider",
      UpdateJwtIdentityProviderRequestSchema,
      update,
    );
    expect(details).toMatchObject({ creationDate: expect.anything() });
    expect(await read(idpId!)).toMatchObject({
      config: { value: { ...jwt, headerName: "", audiences: ["x"] } },
    });
  });

  test("keep the stored client secret after an update without one, and tell neither", async () => {
    const request = { name: "n", config: { case: "oidc" as const, value: oidc } };
    const { idpId } = await run("createIdentityProvider", CreateIdentityProviderRequestSchema, request);
    const secrets = () => fixture.database.read((tx) => tx.all("SELECT * FROM secrets ORDER BY id"));
    const before = await secrets();
    for (const clientSecret of [undefined, ""]) {
      const value = { ...oidc, clientId: `c${clientSecret}`, clientSecret };
      const update = { idpId: idpId!, name: "n", config: { case: "oidc" as const, value } };
      await run("updateIdentityProvider", UpdateIdentityProviderRequestSchema, update as never);
      expect(await read(idpId!)).toMatchObject({ config: { value: { clientId: value.clientId } } });
    }
    expect(await secrets()).toEqual(before);
  });

  test.each([
    ["addOidcIdentityProvider", AddOidcIdentityProviderRequestSchema, oidc],
    [
      "createIdentityProvider",
      CreateIdentityProviderRequestSchema,
      { config: { case: "oidc", value: oidc } },
    ],
  ] as const)(
    "of %s and of a read after it never hold the client secret",
    async (method, schema, request) => {
      const answer = await run(method, schema, { name: "n", ...request });
      const identityProvider = await read(answer["idpId"]!);
      const text = JSON.stringify([answer, identityProvider], (_key, value: unknown) =>
        typeof value === "bigint" ? `${value}` : value,
      );
      expect(text).not.toContain(oidc.clientSecret);
      expect(identityProvider).toMatchObject({
        config: {
          case: "oidc",
          value: {
            clientId: "c",
            issuer: oidc.issuer,
            scopes: ["a", "b"],
            displayNameMapping: OidcMappingField.UNSPECIFIED,
          },
        },
      });
    },
  );
});
