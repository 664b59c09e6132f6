// Hooks as callers administer them (rule H4). What they do in logins is in test/sites/oidc/hooks.test.ts.
import { afterAll, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { HookKind } from "../../gen/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../gen/gatehouse/v1/hook_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { startService } from "../support/service.ts";
import { createCaller, createServiceUser, createWorld, idOf, uniqueName } from "../support/world.ts";

const service = await startService();
const world = await createWorld(service);
const inside = createCaller(service, world.organizationId);
afterAll(() => service.stop());

const rpcs = HookService.method;
const settings = { url: "https://hooks.example.com/logins", kind: HookKind.BEFORE_TOKEN };
const add = async (more: object = {}) =>
  await inside(rpcs.addHook, { ...settings, name: uniqueName("Hook"), ...more });

test("have 500 ms unless somebody chooses otherwise, at most two secrets, and one at least", async () => {
  const hookId = idOf(await add(), "hookId");
  const read = async () => (await inside(rpcs.getHook, { hookId }))["hook"] as JsonObject;
  expect(await read()).toMatchObject({ timeoutMs: 500, kind: "HOOK_KIND_BEFORE_TOKEN" });
  await inside(rpcs.addHookSecret, { hookId });
  const [first, second] = (await read())["signingSecrets"] as JsonObject[];
  await expect(inside(rpcs.addHookSecret, { hookId })).rejects.toThrow("LIMIT_REACHED");
  await inside(rpcs.removeHookSecret, { hookId, secretId: idOf(first ?? {}, "id") });
  const last = { hookId, secretId: idOf(second ?? {}, "id") };
  await expect(inside(rpcs.removeHookSecret, last)).rejects.toThrow("LAST_SIGNING_SECRET");
});

test.each([
  [{ timeoutMs: 2001 }, "FIELD_INVALID"],
  [{ url: "ftp://example.com/" }, "FIELD_INVALID"],
  [{ url: "https://127.0.0.1/" }, "URL_FORBIDDEN"],
  [{ signingSecret: "secret" }, "FIELD_INVALID"],
  [{ kind: HookKind.UNSPECIFIED }, "FIELD_INVALID"],
])("are refused with %j", async (more, reason) => {
  await expect(add(more)).rejects.toThrow(reason);
});

test("of the instance are for callers who hold policy.write there, and in a list of their own", async () => {
  const name = uniqueName("Hook");
  const hookId = idOf(await add({ name, instance: true }), "hookId");
  const listed = await inside(rpcs.listHooks, { instance: true, name });
  expect(listed["hooks"]).toMatchObject([{ id: hookId }]);
  expect((await inside(rpcs.listHooks, { name }))["hooks"]).toEqual([]);
  const { id: userId, token } = await createServiceUser(service, world.organizationId);
  await service.call(MembershipService.method.addMembership, {
    userId,
    scope: { case: "organizationId", value: world.organizationId },
    roles: ["ORGANIZATION_OWNER"],
  });
  const owner = createCaller(service, world.organizationId, token);
  await owner(rpcs.addHook, { ...settings, name: uniqueName("Hook") });
  const ofInstance = { ...settings, name: uniqueName("Hook"), instance: true };
  await expect(owner(rpcs.addHook, ofInstance)).rejects.toThrow("PERMISSION_DENIED");
  await expect(owner(rpcs.trialRunHook, { hookId })).rejects.toThrow("NOT_FOUND");
  await inside(rpcs.removeHook, { hookId });
});

test("get another URL only with another secret", async () => {
  const hookId = idOf(await add(), "hookId");
  const elsewhere = { hookId, name: uniqueName("Hook"), url: "https://elsewhere.example.com/" };
  await expect(inside(rpcs.updateHook, elsewhere)).rejects.toThrow("FIELD_INVALID");
  const signingSecret = `whsec_${Buffer.alloc(32).toString("base64")}`;
  await inside(rpcs.updateHook, { ...elsewhere, signingSecret });
  const { hook } = await inside(rpcs.getHook, { hookId });
  expect(hook).toMatchObject({ url: elsewhere.url, signingSecrets: [{ id: expect.any(String) }] });
});

test("fill no claim of a reserved name", async () => {
  const { projectId, appId } = world;
  for (const claim of ["sub", "ROLES", "urn:zitadel:iam:x", "a b"])
    await expect(inside(rpcs.setHookClaim, { projectId, appId, claim })).rejects.toThrow("FIELD_INVALID");
  await inside(rpcs.setHookClaim, { projectId, appId, claim: "extra" });
  expect(await inside(rpcs.getHookClaim, { projectId, appId })).toMatchObject({
    hookClaim: { claim: "extra" },
  });
});
