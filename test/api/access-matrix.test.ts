import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { create, type DescMethodUnary, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { OrganizationSource } from "../../gen/gatehouse/v1/access_pb.ts";
import { lanes, type Outcome } from "../support/clients.ts";
import { listMethods, ruleOf } from "../support/methods.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import { createWorld, jwtConfig, nextPhone, samlMetadata, uniqueName, type World } from "../support/world.ts";

// The matrix is made from the descriptors, so that a new rpc is in it by itself. What it cannot know is how a request of
// the new rpc looks: a field that `sample` does not know fails the test that needs it.

const methods = await listMethods();
const named = methods.map((method) => [method.name, method] as const);

let service: TestService;
let ours: World;
let theirs: World;

beforeAll(async () => {
  service = await startService();
  ours = await createWorld(service);
  theirs = await createWorld(service);
});

afterAll(() => service.stop());

const unauthenticated = 16;
const denied = 7;
const notFound = 5;

describe("every rpc", () => {
  test("is in the matrix", () => {
    expect(methods.length).toBeGreaterThanOrEqual(29);
  });

  test.each(named)("%s has an access rule", (_name, method) => {
    const rule = ruleOf(method);
    expect(rule?.organization ?? OrganizationSource.UNSPECIFIED).not.toBe(OrganizationSource.UNSPECIFIED);
    expect(rule?.permission === "").toBe(rule?.organization === OrganizationSource.SELF);
  });

  test.each(named)(
    "%s refuses who has no token or a bad one, on every content type",
    async (_name, method) => {
      for (const lane of lanes) {
        const request = requestOf(method, ours);
        const without = await service.clients[lane].call(method, request);
        expect([lane, refusalOf(without).code, refusalOf(without).reason]).toEqual([
          lane,
          unauthenticated,
          "TOKEN_MISSING",
        ]);
        const wrong = await service.clients[lane].call(method, request, { token: "gatehouse_pat_1_x" });
        expect([lane, refusalOf(wrong).code, refusalOf(wrong).reason]).toEqual([
          lane,
          unauthenticated,
          "TOKEN_INVALID",
        ]);
      }
    },
  );
});

describe("a user without any role", () => {
  test.each(named.filter(([, method]) => !isAboutCaller(method)))(
    "is denied %s, on every content type",
    async (_name, method) => {
      for (const lane of lanes) {
        const outcome = await service.clients[lane].call(method, requestOf(method, ours), {
          token: ours.stranger.token,
        });
        expect([lane, refusalOf(outcome).code, refusalOf(outcome).reason]).toEqual([
          lane,
          denied,
          "PERMISSION_DENIED",
        ]);
      }
    },
  );

  test("may call only what is about himself", () => {
    expect(methods.filter(isAboutCaller).map((method) => method.name)).toEqual(["GetMyUser"]);
  });
});

describe("a viewer", () => {
  const writing = named.filter(([, method]) => !isAboutCaller(method) && !isReading(method));
  const reading = named.filter(([, method]) => !isAboutCaller(method) && isReading(method));

  test.each(writing)("is denied %s, on every content type", async (_name, method) => {
    for (const lane of lanes) {
      const outcome = await service.clients[lane].call(method, requestOf(method, ours), {
        token: ours.viewer.token,
      });
      expect([lane, refusalOf(outcome).code]).toEqual([lane, denied]);
    }
  });

  test.each(reading)("may call %s in his organization", async (_name, method) => {
    const outcome = await service.clients.json.call(method, requestOf(method, ours), {
      token: ours.viewer.token,
    });
    expect(outcome.kind).toBe("answer");
  });
});

describe("the owner of another organization", () => {
  const withHeader = named.filter(([, method]) => ruleOf(method)?.organization === OrganizationSource.HEADER);
  const withObject = named.filter(([, method]) => namesObject(method));

  test.each(withHeader)(
    "is denied %s with a header that selects this one, existing or not",
    async (_name, method) => {
      for (const lane of lanes) {
        const request = requestOf(method, theirs);
        const ask = (organizationId: string) =>
          service.clients[lane].call(method, request, {
            token: ours.owner.token,
            headers: { "x-service-orgid": organizationId },
          });
        const foreign = await ask(theirs.organizationId);
        expect([lane, refusalOf(foreign).code]).toEqual([lane, denied]);
        expect(anonymous(await ask("4711"), "4711")).toEqual(anonymous(foreign, theirs.organizationId));
      }
    },
  );

  test.each(withObject)(
    "cannot tell by %s an object of this one from one that never existed",
    async (_name, method) => {
      for (const lane of lanes) {
        const ask = (world: World) =>
          service.clients[lane].call(method, requestOf(method, world), { token: ours.owner.token });
        const foreign = await ask(theirs);
        expect([denied, notFound]).toContain(refusalOf(foreign).code);
        const never = neverExisted(theirs);
        expect(anonymous(await ask(never), ...Object.values(never))).toEqual(
          anonymous(foreign, ...Object.values(theirs)),
        );
      }
    },
  );

  test("has changed nothing here and has seen nothing of it", async () => {
    const before = await snapshot(theirs);
    for (const method of methods) {
      const selections: readonly Record<string, string>[] = [
        {},
        { "x-service-orgid": theirs.organizationId },
      ];
      for (const headers of selections) {
        const outcome = await service.clients.json.call(method, requestOf(method, theirs), {
          token: ours.owner.token,
          headers,
        });
        const shown = outcome.kind === "answer" ? JSON.stringify(outcome.json) : "";
        expect(shown).not.toContain(theirs.organizationId);
      }
    }
    expect(await snapshot(theirs)).toEqual(before);
  });
});

/** Reads everything that an organization shows its owner. */
async function snapshot(world: World): Promise<readonly unknown[]> {
  const shown: unknown[] = [];
  for (const method of methods.filter(isReading)) {
    const outcome = await service.clients.json.call(method, requestOf(method, world), {
      token: world.owner.token,
    });
    if (outcome.kind === "error") throw new Error(`${method.name}: ${outcome.status.message}`);
    shown.push({ ...outcome.json, details: undefined });
  }
  return shown;
}

function isReading(method: DescMethodUnary): boolean {
  return ruleOf(method)?.permission.endsWith(".read") === true;
}

function isAboutCaller(method: DescMethodUnary): boolean {
  return ruleOf(method)?.organization === OrganizationSource.SELF;
}

/** Says whether the request names an object that belongs to an organization. */
function namesObject(method: DescMethodUnary): boolean {
  const isNew = method.name === "AddProjectGrant" ? ["granted_organization_id"] : [];
  // Lists have their filters from 10 to 19: an object that is not there, or not his, leaves them empty.
  const isFilter = (number: number) => method.name.startsWith("List") && number >= 10 && number < 20;
  return method.input.fields.some(
    ({ name, number }) =>
      (name === "id" || name.endsWith("_id")) &&
      !isNew.includes(name) &&
      name !== "client_id" &&
      !isFilter(number),
  );
}

/** Returns the same world with ids that no object has. */
function neverExisted(world: World): World {
  const gone = {
    organizationId: "900000000000000001",
    userId: "900000000000000002",
    u2fId: "900000000000000003",
    projectId: "900000000000000004",
    idpId: "900000000000000005",
    userGrantId: "900000000000000006",
    appId: "900000000000000007",
  };
  return { ...world, ...gone };
}

/** Returns an error without the ids that the caller himself sent. */
function anonymous(outcome: Outcome, ...ids: readonly unknown[]): JsonValue {
  if (outcome.kind === "answer") throw new Error(`expected an error, got ${JSON.stringify(outcome.json)}`);
  const texts = ids.filter((id) => typeof id === "string" && /^\d+$/.test(id));
  const text = texts.reduce(
    (rest: string, id) => rest.replaceAll(String(id), "<id>"),
    JSON.stringify(outcome.status),
  );
  return JSON.parse(text) as JsonValue;
}

/** Returns a request that the field rules accept, about objects of that world. */
function requestOf(method: DescMethodUnary, world: World) {
  const json: JsonObject = {};
  for (const field of method.input.fields) {
    const value = sample(method, field.name, world);
    if (value !== undefined) json[field.name] = value;
  }
  return create(method.input, fromJson(method.input, json));
}

function sample(method: DescMethodUnary, field: string, world: World): JsonValue | undefined {
  const samples: Readonly<Record<string, JsonValue | undefined>> = {
    id: world.projectId,
    project_id: method.name === "AddMembership" ? undefined : world.projectId,
    project_grant_id: undefined,
    organization_id: world.organizationId,
    granted_organization_id:
      ours.organizationId === world.organizationId ? theirs.organizationId : ours.organizationId,
    user_id: world.userId,
    u2f_id: world.u2fId,
    idp_id: world.idpId,
    grant_id: world.userGrantId,
    app_id: world.appId,
    name: uniqueName("Name"),
    username: uniqueName("username"),
    given_name: "Ada",
    family_name: "Lovelace",
    email: "ada@example.com",
    phone: method.name === "SetPhone" ? nextPhone() : undefined,
    role_key: uniqueName("role").replaceAll(" ", "-"),
    role_keys: [],
    roles:
      method.name === "AddMembership"
        ? ["ORGANIZATION_VIEWER"]
        : [{ role_key: uniqueName("role").replaceAll(" ", "-") }],
    verification_code: "00000000",
    token_name: "Key",
    public_key_credential: { id: "x".repeat(60), type: "public-key" },
    metadata_xml: Buffer.from(
      samlMetadata(`https://sp.example.com/${uniqueName("e").replaceAll(" ", "-")}`),
    ).toString("base64"),
    client_id: "client",
    client_secret: "secret",
    issuer: jwtConfig.issuer,
    jwt_endpoint: jwtConfig.jwtEndpoint,
    keys_endpoint: jwtConfig.keysEndpoint,
    header_name: jwtConfig.headerName,
    jwt: { ...jwtConfig },
    ...optional,
  };
  if (!Object.hasOwn(samples, field))
    throw new Error(`write a sample for the field ${field} of ${method.input.typeName}`);
  const isFilter = method.name.startsWith("List") && field === "name";
  return isFilter ? undefined : samples[field];
}

/** Fields that may be left out. */
const optional = Object.fromEntries(
  [
    "styling_type",
    "auto_register",
    "scopes",
    "display_name_mapping",
    "username_mapping",
    "oidc",
    "display_name",
    "preferred_language",
    "description",
    "group",
    "domain",
    "instance",
    "send_code",
    "return_code",
    "is_verified",
    "expiration_date",
    "page_size",
    "page_token",
    "count_total",
    "state",
    "project_role_assertion",
    "project_role_check",
    "has_project_check",
    "private_labeling_setting",
    "metadata_url",
    "aggregate_type",
    "aggregate_id",
    "event_type",
    "editor",
    "after_sequence",
  ].map((name) => [name, undefined]),
);
