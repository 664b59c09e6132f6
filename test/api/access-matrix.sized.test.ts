import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type DescMessage, getOption, type JsonValue } from "@bufbuild/protobuf";
import { protoComments } from "../../gen/comments.ts";
import { OrganizationSource } from "../../gen/gatehouse/v1/access_pb.ts";
import { Effect, effect as effectOption } from "../../gen/gatehouse/v1/effect_pb.ts";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { toRequest } from "../support/clients.ts";
import { listServices, ruleOf } from "../support/methods.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { alike, type EveryLane, lanesAt, onEveryLane, openLanes } from "./support/lanes.ts";
import { prepareFresh } from "./support/tenancy-fresh.ts";
import { requestOf, targetOf } from "./support/tenancy-requests.ts";
import { callers, permissionNames } from "./support/tenancy-roles.ts";
import { listMatrixRpcs, type MatrixRpc } from "./support/tenancy-rpcs.ts";
import { createTenancyWorld, type TenancyWorld } from "./support/tenancy-world.ts";

// What is so of every rpc, found by the descriptors, so that a new one is held to it by itself. Who may call what is in
// the files `tenancy-…`. What no test can know is how a request of a new rpc looks: a field that `requestOf` does not
// know fails the tests that need it.

const methods = (await listServices()).flatMap((service) => service.methods);
const described = methods.map((method) => [method.name, method] as const);
const rpcs = (await listMatrixRpcs()).map((rpc) => [rpc.name, rpc] as const);

let service: TestService;
let world: TenancyWorld;
let callOn: ReturnType<typeof openLanes>;

beforeAll(async () => {
  service = await startService();
  world = await createTenancyWorld(service);
  callOn = openLanes(service);
});

afterAll(() => service.stop());

const own = { parent: "own", leaf: "own", isNamed: true } as const;
const [anyCaller] = callers;
const cellOf = (caller = anyCaller) => {
  if (caller === undefined) throw new Error("somebody must call");
  return { ...own, caller };
};

describe("every rpc is described: it", () => {
  test("is found", () => {
    expect(methods.length).toBeGreaterThanOrEqual(80);
  });

  test.each(described)(
    "%s has an access rule, of a permission that the role table knows",
    (_name, method) => {
      const rule = ruleOf(method);
      expect(rule?.organization ?? OrganizationSource.UNSPECIFIED).not.toBe(OrganizationSource.UNSPECIFIED);
      const source = rule?.organization;
      const needsNone = source === OrganizationSource.SELF || source === OrganizationSource.ITEMS;
      expect(rule?.permission === "").toBe(needsNone);
      expect(["", ...permissionNames]).toContain(rule?.permission);
    },
  );

  test.each(described)(
    "%s says what it does to a user, and to whom a limited token opens it",
    (_name, method) => {
      const rule = ruleOf(method);
      const isAboutUser =
        rule?.organization === OrganizationSource.USER || rule?.organization === OrganizationSource.SESSION;
      expect([rule?.guardsCredentials, rule?.stopsUser]).not.toEqual([true, true]);
      expect(isAboutUser || !(rule?.guardsCredentials === true || rule?.stopsUser === true)).toBe(true);
      const isRead = getOption(method, effectOption) === Effect.READ;
      const opens = rule?.self === true && (isRead || method.name === "AddPersonalAccessToken");
      expect(rule?.selfLimited).toBe(opens);
      // Whatever else a user may do about themselves opens the account, or stops it.
      expect(rule?.self !== true || isRead || rule.guardsCredentials || rule.stopsUser).toBe(true);
    },
  );

  test.each(described)("%s has a comment, and so has all that it takes and answers", (_name, method) => {
    const names = [
      `${method.parent.typeName}.${method.name}`,
      ...namesIn(method.input),
      ...namesIn(method.output),
    ];
    expect(names.filter((name) => (protoComments[name] ?? "").trim() === "")).toEqual([]);
  });

  test.each(described.filter(([, { methodKind }]) => methodKind === "unary"))(
    "%s has a REST path, which no other rpc has",
    (_name, method) => {
      const route = routeOf(method);
      expect(route).toMatch(/^(GET|POST|PUT|DELETE) \/v1\/[a-z0-9_/{}]+$/);
      expect(methods.filter((other) => routeOf(other) === route)).toHaveLength(1);
    },
  );
});

describe("every rpc, on every content type,", () => {
  test.each(rpcs)("%s refuses who has no token or a bad one", async (name, rpc) => {
    const request = toRequest(rpc.method, requestOf(rpc, targetOf(world, cellOf())));
    const lanes = lanesAt(name.length);
    const seen = await onEveryLane(async (lane) => {
      const without = refusalOf(await callOn[lane](rpc.method, request));
      const wrong = refusalOf(await callOn[lane](rpc.method, request, { token: "gatehouse_pat_1_x" }));
      return [without.code, without.reason, wrong.code, wrong.reason];
    }, lanes);
    expect(seen).toEqual(alike([16, "TOKEN_MISSING", 16, "TOKEN_INVALID"], lanes));
  });

  test.each(rpcs)("%s succeeds, and answers in the same shape", async (name, rpc) => {
    const lanes = lanesAt(name.length);
    const shapes = await onEveryLane(async (lane) => shapeOf(await succeedOn(lane, rpc)), lanes);
    const [shape] = Object.values(shapes);
    expect(shapes).toEqual(alike(shape, lanes));
    const answered = Object.keys(shape as object);
    expect(answered.toSorted()).toEqual(rpc.method.output.fields.map(({ jsonName }) => jsonName).toSorted());
  });
});

/** Makes the call as the administrator, with objects of its own where it uses them up. */
async function succeedOn(lane: EveryLane, rpc: MatrixRpc): Promise<JsonValue> {
  const cell = cellOf();
  const target = targetOf(world, cell);
  const giver = world.organizations.ours;
  const { fields } = await prepareFresh({ world, rpc, target, caller: cell.caller, giver });
  const request = toRequest(rpc.method, requestOf(rpc, { ...target, fields }));
  const headers = { "x-service-orgid": giver };
  return answerOf(await callOn[lane](rpc.method, request, { token: service.adminToken, headers }));
}

/** Returns the names and kinds of values; of a list, those of its first item. */
function shapeOf(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

function routeOf(method: (typeof methods)[number]): string {
  const { pattern } = getOption(method, http);
  return typeof pattern.value === "string" ? `${pattern.case.toUpperCase()} ${pattern.value}` : "";
}

/** Returns the full names of a message, its fields, and the messages of ours in it. */
function namesIn(message: DescMessage, seen = new Set<string>()): readonly string[] {
  if (seen.has(message.typeName) || !message.typeName.startsWith("gatehouse.")) return [];
  seen.add(message.typeName);
  return [
    message.typeName,
    ...message.fields.map(({ name }) => `${message.typeName}.${name}`),
    ...message.fields.flatMap((field) => (field.message === undefined ? [] : namesIn(field.message, seen))),
  ];
}
