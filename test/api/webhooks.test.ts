// Targets and what is delivered to them (rule H3), read by the package of Standard Webhooks.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { setImmediate } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { TargetService } from "../../gen/gatehouse/v1/target_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import { type Received, startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  createServiceUser,
  createWorld,
  idOf,
  membershipIdOf,
  uniqueName,
  type World,
} from "../support/world.ts";

const {
  addTarget,
  addTargetSecret,
  deactivateTarget,
  getTarget,
  listDeliveries,
  listTargets,
  reactivateTarget,
  redeliver,
  removeTarget,
  removeTargetSecret,
  updateTarget,
} = TargetService.method;

let service: TestService;
let world: World;
let receiver: WebhookReceiver;
const receivers: WebhookReceiver[] = [];
beforeAll(async () => {
  service = await startService({ dev: true });
  world = await createWorld(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  receivers.push(receiver);
});
afterEach(async () => {
  for (const one of receivers.splice(0)) await one.stop();
});

interface Made {
  readonly id: string;
  readonly secret: string;
}

/** Makes a target of the receiver in an organization of its own, by an owner of it unless another token is given. */
async function stage(eventTypes: readonly string[] = [], token?: string) {
  const organization = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("hooked"),
  });
  const organizationId = idOf(organization, "organizationId");
  const owner = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
  const call = createCaller(service, organizationId, token ?? owner.token);
  const name = uniqueName("target");
  const added = await call(addTarget, { name, url: receiver.url, eventTypes: [...eventTypes] });
  const target: Made = { id: idOf(added, "targetId"), secret: idOf(added, "signingSecret") };
  return { organizationId, owner, call, target, added, name };
}

async function reasonOf<M extends DescMethodUnary>(
  method: M,
  request: MessageInitShape<M["input"]>,
  { token, organizationId }: { readonly token: string; readonly organizationId: string },
): Promise<unknown> {
  const headers = { "x-service-orgid": organizationId };
  return refusalOf(await service.clients.json.call(method, request, { token, headers })).reason;
}

/** The package reads the clock of the machine. */
function verify({ headers, text }: Received, secret: string): unknown {
  const real = Date.now;
  Date.now = () => service.clock.nowMs();
  try {
    return new Webhook(secret).verify(text, headers as Record<string, string>); // no header comes twice
  } finally {
    Date.now = real;
  }
}
const idsOf = (received: readonly Received[]) => received.map(({ headers }) => headers["webhook-id"]);
/** Reads the target until it is so, which the deliveries bring about by themselves. */
async function seen(
  call: ReturnType<typeof createCaller>,
  targetId: string,
  isSo: (target: JsonObject) => boolean,
) {
  for (;;) {
    const target = (await call(getTarget, { targetId }))["target"] as JsonObject; // the answer has it
    if (isSo(target)) return target;
    await setImmediate();
  }
}

describe("a delivery", () => {
  test("is the event as the API shows it, signed, in order, over one connection", async () => {
    const { organizationId, call, target } = await stage(["user", "project.added"]);
    await createProject(service, organizationId);
    for (let count = 0; count < 5; count += 1) await createHumanUser(service, organizationId);
    const received = await receiver.got(6);
    const listed = await call(EventService.method.listEvents, {});
    const types: ReadonlySet<unknown> = new Set(["user.added", "project.added"]);
    const events = (listed["events"] as JsonObject[]).filter(({ eventType }) => types.has(eventType));
    const wanted = events.slice(-6);
    expect(received.map(({ body }) => body.data)).toEqual(wanted);
    expect(idsOf(received)).toEqual(wanted.map(({ sequence }) => sequence));
    for (const [index, one] of received.entries()) {
      expect(verify(one, target.secret)).toEqual({
        type: wanted[index]?.["eventType"],
        timestamp: new Date(idOf(wanted[index] ?? {}, "creationDate")).toISOString(),
        data: wanted[index],
      });
      expect(one.headers["content-type"]).toBe("application/json");
    }
    expect(receiver.connections()).toBe(1);
    // One of the processes delivers, and each counts for itself.
    const read = async () => await (await fetch(`${service.url}/metrics`)).text();
    const metrics = await Promise.all(Array.from({ length: 20 }, read));
    expect(metrics.join("\n")).toMatch(
      /gatehouse_webhook_attempt_seconds_count\{outcome="delivered"\} [1-9]/,
    );
  });

  test("is not made of a call that only validates, and of no other organization or type", async () => {
    const { organizationId, call } = await stage(["project"]);
    const headers = { "x-service-orgid": organizationId, "x-service-validate-only": "true" };
    const request = { name: uniqueName("dry") };
    const options = { token: service.adminToken, headers };
    await service.clients.json.call(ProjectService.method.addProject, request, options);
    await createHumanUser(service, organizationId);
    await createProject(service, world.organizationId);
    await call(ProjectService.method.addProject, { name: uniqueName("real") });
    const [first] = await receiver.got(1);
    expect(first?.body.data).toMatchObject({ eventType: "project.added", resourceOwner: organizationId });
    expect(first?.body.data).toHaveProperty("payload.name", expect.stringMatching(/^real/));
  });

  test("hides the address of an editor whom the creator may not read, and data of users who are gone by then", async () => {
    receiver.status = 503;
    const { organizationId, call, target } = await stage(["user.added"]);
    const userId = await createHumanUser(service, organizationId);
    await seen(call, target.id, ({ attempts }) => attempts === 1);
    await call(UserService.method.removeUser, { userId });
    receiver.status = 200;
    service.clock.turn(6000);
    const [before, after] = await receiver.got(2);
    expect(before?.body.data).toMatchObject({ remoteAddress: "", payload: { given_name: "Ada" } });
    expect(idsOf([after as Received])).toEqual(idsOf([before as Received]));
    expect(after?.text).not.toContain("Ada");
  });
});

describe("an attempt that fails", () => {
  test("is repeated after pauses that grow, for ten days and on, with the same id; the next event waits", async () => {
    receiver.status = 500;
    const { organizationId, call, target } = await stage(["project"]);
    await createProject(service, organizationId);
    await createProject(service, organizationId);
    const pauses: number[] = [];
    let attempts = 0;
    const startMs = service.clock.nowMs();
    while (service.clock.nowMs() < startMs + 10 * 86_400_000) {
      attempts += 1;
      const found = await seen(call, target.id, (one) => one["attempts"] === attempts);
      expect(found["state"]).toBe(attempts < 10 ? "TARGET_STATE_ACTIVE" : "TARGET_STATE_FAILING");
      const dueMs = Date.parse(idOf(found, "nextAttemptDate"));
      pauses.push((dueMs - service.clock.nowMs()) / 1000);
      // Many probes later it is the same, so most of the ten days are skipped.
      service.clock.turn(attempts < 12 ? dueMs - service.clock.nowMs() : 12 * 86_400_000);
    }
    const least = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, 3600, 3600];
    expect(
      pauses
        .slice(0, 11)
        .map((pause, index) => pause >= (least[index] ?? 0) && pause <= (least[index] ?? 0) * 1.1),
    ).toEqual(least.map(() => true));
    receiver.status = 200;
    const received = await receiver.got(attempts + 2);
    expect(new Set(idsOf(received.slice(0, attempts + 1))).size).toBe(1);
    expect(idsOf(received).at(-1)).not.toBe(idsOf(received)[0]);
    const last = BigInt(String(idsOf(received).at(-1)));
    await seen(call, target.id, (one) => BigInt(idOf(one, "position")) >= last);
    const { deliveries } = await call(listDeliveries, { targetId: target.id });
    expect(deliveries).toMatchObject([
      { state: "DELIVERY_STATE_DELIVERED", status: 200, attempts: 1 },
      { state: "DELIVERY_STATE_DELIVERED", status: 200, attempts: attempts + 1, eventType: "project.added" },
    ]);
  }, 60_000);

  test("is one that is redirected, or that nobody answers", async () => {
    receiver.status = 302;
    const elsewhere = await startWebhookReceiver();
    receivers.push(elsewhere);
    receiver.headers = { location: elsewhere.url };
    const { organizationId, call, target } = await stage(["project"]);
    await createProject(service, organizationId);
    await seen(call, target.id, ({ attempts }) => attempts === 1);
    await receiver.stop();
    service.clock.turn(6000);
    await seen(call, target.id, ({ attempts }) => attempts === 2);
    const { deliveries } = await call(listDeliveries, { targetId: target.id });
    expect(deliveries).toMatchObject([
      { state: "DELIVERY_STATE_FAILED", failure: "DELIVERY_FAILURE_UNREACHABLE", status: 0, attempts: 2 },
    ]);
    expect(elsewhere.received).toEqual([]);
    receivers.splice(receivers.indexOf(receiver), 1);
  });

  test("ends the deliveries if the answer is 410, until the target is reactivated", async () => {
    receiver.status = 410;
    const { organizationId, call, target } = await stage(["project"]);
    await createProject(service, organizationId);
    await seen(call, target.id, ({ state }) => state === "TARGET_STATE_GONE");
    receiver.status = 200;
    await call(reactivateTarget, { targetId: target.id });
    const [first, second] = await receiver.got(2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    const events = (await call(EventService.method.listEvents, { aggregateId: target.id }))["events"];
    expect((events as JsonObject[]).map(({ eventType, editor }) => [eventType, editor === "system"])).toEqual(
      [
        ["target.added", false],
        ["target.gone", true],
        ["target.reactivated", false],
      ],
    );
  });
});

describe("the creator of a target", () => {
  test("decides what is delivered at that moment: without the role nothing is, until somebody else reactivates it", async () => {
    const { organizationId, owner, call, target } = await stage(["project"]);
    const reader = createCaller(service, organizationId);
    const membershipId = await membershipIdOf(service, owner.id, organizationId);
    await service.call(MembershipService.method.removeMembership, { membershipId });
    await createProject(service, organizationId);
    await seen(reader, target.id, ({ state }) => state === "TARGET_STATE_CREATOR_GONE");
    const scope = { case: "organizationId" as const, value: organizationId };
    const roles = ["ORGANIZATION_OWNER"];
    await service.call(MembershipService.method.addMembership, { userId: owner.id, scope, roles });
    const [first] = await receiver.got(1);
    await call(UserService.method.deactivateUser, { userId: owner.id }).catch(() => undefined);
    await service.call(UserService.method.deactivateUser, { userId: owner.id });
    await createProject(service, organizationId);
    await seen(reader, target.id, ({ state }) => state === "TARGET_STATE_CREATOR_GONE");
    await reader(reactivateTarget, { targetId: target.id });
    const [, second] = await receiver.got(2);
    expect(Number(second?.headers["webhook-id"])).toBeGreaterThan(Number(first?.headers["webhook-id"]));
  });

  test("is the user of the token of the call: what goes with that token, or is left out for it, is not for the target", async () => {
    const { organizationId, owner, call, target } = await stage(["project"]);
    const reader = createCaller(service, organizationId);
    const listed = await service.call(UserService.method.listPersonalAccessTokens, { userId: owner.id });
    const tokens = listed["personalAccessTokens"] as JsonObject[];
    expect(tokens).toHaveLength(1); // that of the target is in no list
    const tokenId = idOf(tokens[0] as JsonObject, "id");
    await service.call(UserService.method.removePersonalAccessToken, { userId: owner.id, tokenId });
    await seen(reader, target.id, ({ state }) => state === "TARGET_STATE_CREATOR_GONE");
    // A name alone is no decision of the caller about deliveries; another URL is one.
    const request = { targetId: target.id, url: receiver.url, eventTypes: ["project"] };
    await reader(updateTarget, { ...request, name: uniqueName("renamed") });
    await seen(reader, target.id, ({ state }) => state === "TARGET_STATE_CREATOR_GONE");
    await reader(updateTarget, { ...request, name: uniqueName("renamed"), eventTypes: ["project.added"] });
    await seen(reader, target.id, ({ state }) => state === "TARGET_STATE_ACTIVE");
    await expect(call(getTarget, { targetId: target.id })).rejects.toThrow("TOKEN_INVALID");
  });
});

describe("events", () => {
  test("are delivered again from a sequence on, at most 30 days back", async () => {
    const { organizationId, owner, call, target } = await stage(["project"]);
    for (let count = 0; count < 3; count += 1) await createProject(service, organizationId);
    const [, second] = await receiver.got(3);
    const fromSequence = BigInt(String(second?.headers["webhook-id"]));
    await call(redeliver, { targetId: target.id, fromSequence });
    const received = await receiver.got(5);
    expect(idsOf(received).slice(3)).toEqual(idsOf(received).slice(1, 3));
    const tooOld = BigInt(service.clock.nowMs() - 31 * 86_400_000) * 1000n;
    const by = { token: owner.token, organizationId };
    expect(await reasonOf(redeliver, { targetId: target.id, fromSequence: tooOld }, by)).toBe(
      "FIELD_INVALID",
    );
  });

  test("wait for a target that is inactive, and go to a changed one as it is then", async () => {
    const { organizationId, owner, call, target, name } = await stage(["project"]);
    await call(deactivateTarget, { targetId: target.id });
    await createProject(service, organizationId);
    const elsewhere = await startWebhookReceiver();
    receivers.push(elsewhere);
    const request = { targetId: target.id, name, url: elsewhere.url, eventTypes: ["project"] };
    const by = { token: owner.token, organizationId };
    expect(await reasonOf(updateTarget, request, by)).toBe("FIELD_INVALID");
    const signingSecret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    const changed = await call(updateTarget, { ...request, signingSecret });
    expect(await call(updateTarget, { ...request, signingSecret })).toEqual(changed); // the same secret again is no change
    await call(reactivateTarget, { targetId: target.id });
    const [first] = await elsewhere.got(1);
    verify(first as Received, signingSecret);
    expect(() => verify(first as Received, target.secret)).toThrow();
    expect(receiver.received).toEqual([]);
  });

  test("are signed with both secrets while they are exchanged", async () => {
    const { organizationId, owner, call, target } = await stage(["project"]);
    const by = { token: owner.token, organizationId };
    const added = await call(addTargetSecret, { targetId: target.id });
    expect(await reasonOf(addTargetSecret, { targetId: target.id }, by)).toBe("LIMIT_REACHED");
    await createProject(service, organizationId);
    const [both] = await receiver.got(1);
    for (const secret of [target.secret, idOf(added, "signingSecret")]) verify(both as Received, secret);
    const shown = await seen(call, target.id, () => true);
    const [former] = shown["signingSecrets"] as JsonObject[];
    const secretId = idOf(former as JsonObject, "id");
    await call(removeTargetSecret, { targetId: target.id, secretId });
    expect(await reasonOf(removeTargetSecret, { targetId: target.id, secretId }, by)).toBe("NOT_FOUND");
    const last = { targetId: target.id, secretId: idOf(added, "secretId") };
    expect(await reasonOf(removeTargetSecret, last, by)).toBe("LAST_SIGNING_SECRET");
    await createProject(service, organizationId);
    const [, one] = await receiver.got(2);
    verify(one as Received, idOf(added, "signingSecret"));
    expect(() => verify(one as Received, target.secret)).toThrow();
  });
});

describe("a target", () => {
  test("of the instance gets the events of all organizations, and is for those who may read these", async () => {
    const { organizationId, owner } = await stage();
    const all = await startWebhookReceiver();
    receivers.push(all);
    const request = {
      name: uniqueName("instance"),
      url: all.url,
      eventTypes: ["project.added"],
      instance: true,
    };
    const by = { token: owner.token, organizationId };
    expect(await reasonOf(addTarget, request, by)).toBe("PERMISSION_DENIED");
    const targetId = idOf(await service.call(addTarget, request), "targetId");
    expect(await reasonOf(getTarget, { targetId }, by)).toBe("NOT_FOUND");
    expect(await reasonOf(listTargets, { instance: true }, by)).toBe("PERMISSION_DENIED");
    const listed = await service.call(listTargets, { instance: true });
    expect((listed["targets"] as JsonObject[]).map(({ id }) => id)).toEqual([targetId]);
    await createProject(service, organizationId);
    await createProject(service, world.organizationId);
    const received = await all.got(2);
    expect(received.map(({ body }) => body.data["resourceOwner"])).toEqual([
      organizationId,
      world.organizationId,
    ]);
    await service.call(removeTarget, { targetId });
  });

  test("is refused with what is wrong with it", async () => {
    const { organizationId, owner, name } = await stage();
    const by = { token: owner.token, organizationId };
    const good = { name: uniqueName("target"), url: receiver.url };
    const refused = [
      [{ ...good, name }, "ALREADY_EXISTS"],
      [{ ...good, url: "https://10.0.0.1/" }, "URL_FORBIDDEN"],
      [{ ...good, url: "http://example.com/" }, "URL_FORBIDDEN"],
      [{ ...good, url: "https://user@example.com/" }, "FIELD_INVALID"],
      [{ ...good, eventTypes: ["user.add"] }, "FIELD_INVALID"],
      [{ ...good, signingSecret: "whsec_c2hvcnQ=" }, "FIELD_INVALID"],
      [{ ...good, signingSecret: Buffer.alloc(32).toString("base64") }, "FIELD_INVALID"],
    ] as const;
    for (const [request, reason] of refused) {
      const sent = { ...request, eventTypes: [...("eventTypes" in request ? request.eventTypes : [])] };
      expect([reason, await reasonOf(addTarget, sent, by)]).toEqual([reason, reason]);
    }
  });
});
