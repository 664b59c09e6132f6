// Tokens that are bound to a key (RFC 9449 §7), as our own API takes them.
import { afterAll, describe, expect, test } from "@jest/globals";
import { BatchService } from "../../../gen/gatehouse/v1/batch_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { everyLane, type EveryLane, openLanes } from "../../api/support/lanes.ts";
import { openWatch, streamLanes } from "../../api/support/watch.ts";
import type { Outcome } from "../../support/clients.ts";
import { makeProofKey } from "../../support/proofs.ts";
import { answerOf, refusalOf, startService } from "../../support/service.ts";
import { createCaller, createWorld, uniqueName } from "../../support/world.ts";
import { askWithProof, boundTo, getBoundToken, type WrongRequestProof } from "./support/dpop.ts";
import { apiScope, basic, bySecret, createMachine, getAccessToken, postForm } from "./support/machine.ts";

const { getMyUser, getUser } = UserService.method;
const key = makeProofKey();
const otherKey = makeProofKey("EdDSA");

const service = await startService();
const world = await createWorld(service);
const machine = await createMachine(service, world.organizationId);
const jwtMachine = await createMachine(service, world.organizationId, { tokens: "JWT" });
for (const { userId } of [machine, jwtMachine])
  await service.call(MembershipService.method.addMembership, {
    userId,
    scope: { case: "organizationId", value: world.organizationId },
    roles: ["ORGANIZATION_OWNER"],
  });
const tokens = {
  BEARER: await getBoundToken(service, machine, key),
  JWT: await getBoundToken(service, jwtMachine, key),
};
const callOn = openLanes(service);
afterAll(() => service.stop());

/** What a client of the lane signs for a call of GetMyUser. */
function targetOn(lane: EveryLane) {
  return lane === "rest"
    ? { verb: "GET", path: "/v1/users/me" }
    : { verb: "POST", path: "/gatehouse.v1.UserService/GetMyUser" };
}

const sign = (lane: EveryLane, wrong: WrongRequestProof = {}, by = key, accessToken = tokens.BEARER) =>
  boundTo(service, by, { ...targetOn(lane), ...wrong, accessToken });
const enter = (lane: EveryLane, headers: Readonly<Record<string, string>>) =>
  callOn[lane](getMyUser, {}, { headers });

/** Says how a call has ended, and in which scheme it may be tried again. */
function endOf(outcome: Outcome): string {
  if (outcome.kind === "answer") return "in";
  const challenge = outcome.headers.get("www-authenticate") ?? "none";
  const [, error] = /error="([a-z_]+)"/.exec(challenge) ?? [];
  return `${JSON.stringify(refusalOf(outcome).reason)} ${challenge.split(" ")[0]} ${error}`;
}

const proofInvalid = '"TOKEN_INVALID" DPoP invalid_dpop_proof';
const tokenInvalid = '"TOKEN_INVALID" DPoP invalid_token';

describe.each(everyLane)("a call over %s with a token that is bound", (lane) => {
  test.each(["BEARER", "JWT"] as const)("is made with a proof of the key (%s)", async (type) => {
    const headers = await sign(lane, {}, key, tokens[type]);
    expect(endOf(await enter(lane, headers))).toBe("in");
    expect(endOf(await enter(lane, headers))).toBe(proofInvalid);
    const bearer = { authorization: `Bearer ${tokens[type]}` };
    expect(endOf(await enter(lane, bearer))).toBe(tokenInvalid);
    const withProof = { ...(await sign(lane, {}, key, tokens[type])), ...bearer };
    expect(endOf(await enter(lane, withProof))).toBe(tokenInvalid);
  });

  test("is refused with a proof for something else", async () => {
    const { verb } = targetOn(lane);
    for (const wrong of [
      { verb: verb === "GET" ? "POST" : "GET" },
      { path: "/v1/users/1" },
      { claims: { htu: "https://evil.example/v1/users/me" } },
    ])
      expect(endOf(await enter(lane, await sign(lane, wrong)))).toBe(proofInvalid);
    expect(endOf(await enter(lane, await sign(lane, {}, otherKey)))).toBe(tokenInvalid);
  });
});

describe("a call with a token that is bound", () => {
  test.each<[string, WrongRequestProof]>([
    ["that is stale", { claims: { iat: 1 } }],
    ["from the future", { claims: { iat: 4_000_000_000 } }],
    ["without ath", { claims: { ath: undefined } }],
    ["for another token", { claims: { ath: "A".repeat(43) } }],
    ["of another type", { header: { typ: "JWT" } }],
  ])("is refused with a proof %s", async (_name, wrong) => {
    expect(endOf(await enter("json", await sign("json", wrong)))).toBe(proofInvalid);
  });

  test("is refused with two proofs, none, or something else", async () => {
    const authorization = `DPoP ${tokens.BEARER}`;
    const [one, other] = [await sign("json"), await sign("json")];
    for (const dpop of [`${one.dpop}, ${other.dpop}`, "", "garbage", "x".repeat(12_000)])
      expect(endOf(await enter("json", { authorization, dpop }))).toBe(proofInvalid);
    expect(endOf(await enter("json", { authorization }))).toBe(proofInvalid);
    expect(endOf(await enter("json", { authorization: "DPoP", dpop: one.dpop }))).toMatch(/^"TOKEN_INVALID"/);
  });

  test("is judged by the issuer, whatever host it names", async () => {
    const host = { host: "evil.example" };
    expect(endOf(await enter("json", { ...(await sign("json")), ...host }))).toBe("in");
  });

  test("is judged without its query, and with the escapes of its path in any form", async () => {
    const path = `/v1/users/%${machine.userId.charCodeAt(0).toString(16)}${machine.userId.slice(1)}`;
    const headers = await boundTo(service, key, { verb: "GET", path, accessToken: tokens.BEARER });
    expect(endOf(await callOn.rest(getUser, { userId: machine.userId }, { headers }))).toBe("in");
    const list = await boundTo(service, key, { verb: "GET", path: "/v1/users", accessToken: tokens.BEARER });
    expect(endOf(await callOn.rest(UserService.method.listUsers, { pageSize: 1 }, { headers: list }))).toBe(
      "in",
    );
  });

  test("changes something once, however often it is sent", async () => {
    const path = "/gatehouse.v1.ProjectService/AddProject";
    const name = uniqueName("Project");
    const headers = await boundTo(service, key, { path, accessToken: tokens.BEARER });
    const sendTo = () => callOn.json(ProjectService.method.addProject, { name }, { headers });
    const ends = (await Promise.all(Array.from({ length: 8 }, sendTo))).map(endOf);
    expect(ends.filter((end) => end === "in")).toHaveLength(1);
    expect(ends.filter((end) => end === proofInvalid)).toHaveLength(7);
  });

  test("gets its stored answer with the same idempotency key and another proof", async () => {
    const path = "/gatehouse.v1.ProjectService/AddProject";
    const request = { name: uniqueName("Project") };
    const idempotent = { "idempotency-key": uniqueName("key") };
    const add = async () => {
      const headers = await boundTo(service, key, { path, accessToken: tokens.BEARER });
      return answerOf(
        await callOn.json(ProjectService.method.addProject, request, {
          headers: { ...headers, ...idempotent },
        }),
      );
    };
    expect(await add()).toEqual(await add());
  });

  test("makes a batch, whose items need no proof", async () => {
    const path = "/gatehouse.v1.BatchService/Write";
    const item = () => ({ request: { case: "addProject" as const, value: { name: uniqueName("Project") } } });
    const headers = await boundTo(service, key, { path, accessToken: tokens.BEARER });
    const outcome = await callOn.json(BatchService.method.write, { items: [item(), item()] }, { headers });
    expect(answerOf(outcome)["results"]).toHaveLength(2);
  });

  test("that is refused for its token uses no proof up", async () => {
    const count = () => service.place.raw.peek("SELECT COUNT(*) AS n FROM used_assertions");
    const before = await count();
    const unbound = await getAccessToken(service, machine);
    expect(endOf(await enter("json", await sign("json", {}, key, unbound)))).toBe(tokenInvalid);
    const personal = await sign("json", {}, key, service.adminToken);
    expect(endOf(await enter("json", personal))).toBe(tokenInvalid);
    expect(await count()).toEqual(before);
  });
});

const fromTheStart = { afterSequence: 0n };

describe.each(streamLanes)("a watch over %s with a token that is bound", (lane) => {
  const path = "/gatehouse.v1.EventService/WatchEvents";

  test("is opened with one proof, which is good once, and goes on without another", async () => {
    const headers = await boundTo(service, key, { path, accessToken: tokens.BEARER });
    const watch = openWatch(lane, service.url, fromTheStart, { token: "", headers });
    await watch.until((events) => events.length > 0);
    service.clock.turn(61_000);
    const seen = watch.events.length;
    await createCaller(service, world.organizationId)(ProjectService.method.addProject, {
      name: uniqueName("Project"),
    });
    await watch.until((events) => events.length > seen);
    watch.cancel();
    for (const wrong of [headers, { authorization: `Bearer ${tokens.BEARER}` }]) {
      const refused = openWatch(lane, service.url, fromTheStart, { token: "", headers: wrong });
      await expect(refused.ended).resolves.toMatchObject({ code: 16, reason: "TOKEN_INVALID" });
    }
  });
});

test("a token that does not hold, or is not for our API, is refused in the scheme of its proof", async () => {
  expect(apiScope).toContain(":aud");
  const revoked = await getBoundToken(service, machine, key);
  const { userId, secret } = machine;
  await postForm(service, "/oauth/v2/revoke", { token: revoked }, basic(userId, secret));
  const form = { ...bySecret(machine), scope: "openid" };
  const { json } = await askWithProof(service, key, { form });
  for (const accessToken of [revoked, String(json["access_token"]), "nothing"]) {
    const outcome = await enter("json", await sign("json", {}, key, accessToken));
    expect(endOf(outcome)).toBe(tokenInvalid);
    expect(outcome.headers.get("www-authenticate")).toMatch(/^DPoP realm="gatehouse", .*, algs="RS256 /);
  }
});
