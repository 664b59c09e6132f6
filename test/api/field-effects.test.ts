import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type DescMethodUnary, fromJson, getOption, type JsonObject } from "@bufbuild/protobuf";
import { Effect, effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { listMethods } from "../support/methods.ts";
import { answerOf, startService } from "../support/service.ts";
import { createCaller, createWorld, idOf, uniqueName } from "../support/world.ts";
import type { EffectCase, Ground, Prepared } from "./support/field-effect.ts";
import { effectCases } from "./support/field-effect-cases.ts";
import { listVariants, type Sampled, sampleRequest, shows } from "./support/field-samples.ts";

// Every field of every rpc that adds or changes something is sent with a value of its own, and a read must show it. A field
// that is in a proto and in no code is sent too, and nothing shows it.

/** No read shows it: `locks-out.test.ts` walks through all rpcs that have it. */
const force = "force";

const secondDomain = "second.example.com";
let ground: Ground;
beforeAll(async () => {
  const origins = ["http://localhost:3000", `https://${secondDomain}`].join(",");
  const service = await startService({
    "rp-ids": `localhost,${secondDomain}`,
    "rp-origins": origins,
    dev: true,
  });
  const world = await createWorld(service);
  const partner = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Partner"),
  });
  const partnerId = idOf(partner, "organizationId");
  const grant = await createCaller(service, world.organizationId)(ProjectService.method.addProjectGrant, {
    projectId: world.projectId,
    grantedOrganizationId: partnerId,
    roleKeys: ["reader", "writer"],
  });
  ground = { service, world: { ...world, projectGrantId: idOf(grant, "grantId") }, partnerId, secondDomain };
});
afterAll(() => ground.service.stop());

const methods = (await listMethods()).filter(
  (method) => method.parent.typeName.startsWith("gatehouse.") && getOption(method, effect) !== Effect.READ,
);
const withCase = methods.flatMap((method) => {
  const known = effectCases[method.name];
  return known === undefined ? [] : [[method.name, method, known] as const];
});

describe.each(withCase)("%s", (_name, method, known) => {
  const requests = requestsOf(method, known);

  test.each(requests.map((without) => [without.join(", ") || "nothing", without] as const))(
    "has an effect by each of its fields (without: %s)",
    async (_without, without) => {
      const { fields, ...seen } = await send(method, await known.prepare(ground, without), without);
      const unseen = fields.filter(({ path, jsonName, value }) => {
        const isSeen = known.seenAs?.[path] ?? (() => shows([seen.read, seen.readBy], jsonName, value));
        return !isSeen({ ...seen, value });
      });
      expect(unseen.map(({ path }) => path).filter((path) => path !== force)).toEqual(
        Object.keys(known.unseen ?? {}).filter((path) => fields.some((field) => field.path === path)),
      );
    },
  );

  test("is sent with each of its fields", () => {
    const names = method.input.fields.map(({ name }) => name);
    expect(names.filter((name) => requests.every((without) => without.includes(name)))).toEqual([]);
  });
});

test("an rpc without a case names objects and says nothing of them", () => {
  const others = methods.filter(({ name }) => !Object.hasOwn(effectCases, name) && name !== "Write"); // which carries the others
  const wrong = others.flatMap((method) =>
    method.input.fields
      .filter(({ name }) => name !== force && !/^key$|(^|_)(ids?|role_key|language)$/.test(name))
      .map((field) => `${method.name} ${field.name}`),
  );
  expect(others.length).toBeGreaterThan(15);
  expect(wrong).toEqual([]);
});

test("every case is that of an rpc", () => {
  const names = new Set(methods.map(({ name }) => name));
  expect(Object.keys(effectCases).filter((name) => !names.has(name))).toEqual([]);
});

/** Lists the fields that each request leaves out, so that all requests together send every field. */
function requestsOf(
  method: DescMethodUnary,
  { alternatives = [[]] }: EffectCase,
): readonly (readonly string[])[] {
  return listVariants(method.input).flatMap((variant) =>
    alternatives.map((alternative) => [...variant, ...alternative]),
  );
}

/** What a request was sent with, and what it has led to. */
interface Sent {
  readonly fields: readonly Sampled[];
  readonly answer: JsonObject;
  readonly read: JsonObject;
  readonly readBy: JsonObject;
}

async function send(method: DescMethodUnary, prepared: Prepared, without: readonly string[]): Promise<Sent> {
  const { service, world } = ground;
  const sampled = sampleRequest(method.input, { given: prepared.given ?? {}, without: new Set(without) });
  const call = async (called: DescMethodUnary, request: JsonObject, token = service.adminToken) =>
    answerOf(
      await service.clients.json.call(called, fromJson(called.input, request), {
        token,
        headers: { "x-service-orgid": prepared.organizationId ?? world.organizationId },
      }),
    );
  // It adds to the organization of the caller, whatever the header says.
  const isOwn = method.name === "AddJwtIdentityProvider";
  const answer = isOwn
    ? await service.call(method, fromJson(method.input, sampled.request), world.owner.token)
    : await call(method, sampled.request, prepared.token);
  const [reading, readBy] = prepared.read(answer);
  const { details: _page, ...read } = await call(reading, readBy);
  return { fields: sampled.fields, answer, read, readBy };
}
