import { describe, expect, test } from "@jest/globals";
import { type DescMethodUnary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { answerLifetimeMs } from "../../src/identity/idempotency/stored-answer.ts";
import { toRequest } from "../support/clients.ts";
import { createCaller, createHumanUser, idOf, nextPhone, uniqueName } from "../support/world.ts";
import { answerIn, endingOf, inHttp, refusalIn } from "./support/condition-outcomes.ts";
import { having } from "./support/condition-rpcs.ts";
import { newKey, useConditionSetting } from "./support/condition-suite.ts";
import { alike, type EveryLane, everyLane, onEveryLane } from "./support/lanes.ts";
import { readyOf } from "./support/state-refusals.ts";
import { send } from "./support/wire.ts";

// What an idempotency key is, where an rpc has something of its own to it or all are alike.

const setting = useConditionSetting();
const organizations = OrganizationService.method;
const users = UserService.method;

/** Makes the call as the administrator on ours, with these headers. */
async function call(
  lane: EveryLane,
  method: DescMethodUnary,
  json: JsonObject,
  headers: Record<string, string>,
) {
  const { make, world } = setting;
  return await make(lane, having(readyOf(world, method, json), headers));
}

const keyed = () => ({ "idempotency-key": newKey() });

describe("a repeat is another request", () => {
  test("with another organization, where that is read", async () => {
    const { world } = setting;
    const seen = await onEveryLane(async (lane) => {
      const key = keyed();
      const project = { name: uniqueName("Project") };
      const first = await call(lane, ProjectService.method.addProject, project, key);
      const there = { ...key, "x-service-orgid": world.organizations.theirs };
      const again = await call(lane, ProjectService.method.addProject, project, there);
      const none = await call(lane, ProjectService.method.addProject, project, {
        ...key,
        "x-service-orgid": "",
      });
      return [endingOf(first), endingOf(again), endingOf(none)];
    });
    const reused = (lane: string) => inHttp(lane, "9 IDEMPOTENCY_KEY_REUSED", 400);
    expect(seen).toEqual(
      Object.fromEntries(everyLane.map((lane) => [lane, ["answered", reused(lane), reused(lane)]])),
    );
  });

  test("and is the same where the organization is not read", async () => {
    const { world } = setting;
    const seen = await onEveryLane(async (lane) => {
      const key = keyed();
      const organization = { name: uniqueName("Organization") };
      const first = await call(lane, organizations.addOrganization, organization, key);
      const there = { ...key, "x-service-orgid": world.organizations.theirs };
      const again = await call(lane, organizations.addOrganization, organization, there);
      return [endingOf(first), endingOf(again)];
    });
    expect(seen).toEqual(alike(["answered", "replayed true"]));
  });

  test("with another if-match; with the same it is answered, though the object has moved on", async () => {
    const { world, service } = setting;
    const { project: id } = world.objects.own;
    const seen = await onEveryLane(async (lane) => {
      const inside = createCaller(service, world.organizations.ours);
      const { project } = await inside(ProjectService.method.getProject, { id });
      const tag = `"${idOf((project as JsonObject)["details"] as JsonObject, "sequence")}"`;
      const key = keyed();
      const rename = { id, name: uniqueName("Renamed") };
      const run = async (headers: Record<string, string>) =>
        endingOf(await call(lane, ProjectService.method.updateProject, rename, { ...key, ...headers }));
      return [
        await run({ "if-match": tag }),
        await run({ "if-match": tag }),
        await run({ "if-match": "*" }),
        await run({}),
      ];
    });
    const reused = (lane: string) => inHttp(lane, "9 IDEMPOTENCY_KEY_REUSED", 400);
    expect(seen).toEqual(
      Object.fromEntries(
        everyLane.map((lane) => [lane, ["answered", "replayed true", reused(lane), reused(lane)]]),
      ),
    );
  });
});

describe("a key is", () => {
  test.each(["json", "grpc", "grpc-web"] as const)("of printable ASCII, over %s", async (protocol) => {
    const { service, traces } = setting;
    const { input, parent, name } = organizations.addOrganization;
    const before = await traces.count();
    for (const key of ["a\tb", "k\u00e9y", "\u00ff", "key\u0080"]) {
      const json = { name: uniqueName("Organization") };
      const message = toBinary(input, toRequest(organizations.addOrganization, json) as never);
      const answer = await send(service, protocol, {
        path: `/${parent.typeName}/${name}`,
        headers: { "idempotency-key": key },
        body: protocol === "json" ? JSON.stringify(json) : message,
      });
      expect([key, answer.status?.code]).toEqual([key, 3]);
    }
    expect(await traces.count()).toEqual(before);
  });
});

describe("a call that failed leaves its key free:", () => {
  test("the same call succeeds once the name is free", async () => {
    const { service } = setting;
    const name = uniqueName("Organization");
    const id = idOf(await service.call(organizations.addOrganization, { name }), "organizationId");
    const key = keyed();
    const again = async () => endingOf(await call("rest", organizations.addOrganization, { name }, key));
    expect(await again()).toBe(inHttp("rest", "6 ALREADY_EXISTS", 409));
    await service.call(organizations.removeOrganization, { id });
    expect(await again()).toBe("answered");
  });
});

test("answers whose time is over go as new ones come, two for one", async () => {
  const { service, traces } = setting;
  const add = () =>
    call("json", organizations.addOrganization, { name: uniqueName("Organization") }, keyed());
  for (let time = 0; time < 4; time++) await add();
  service.clock.turn(answerLifetimeMs);
  const before = (await traces.count())["answers"] ?? 0;
  for (let time = 1; time <= 2; time++) {
    await add();
    expect((await traces.count())["answers"]).toBe(before - time);
  }
});

describe("a repeat", () => {
  test("of a wrong phone code is refused as before, and not counted again", async () => {
    const { service, world } = setting;
    const userId = await createHumanUser(service, world.organizations.ours);
    const set = await service.call(users.setPhone, {
      userId,
      phone: nextPhone(),
      verification: { case: "returnCode", value: {} },
    });
    const code = idOf(set, "verificationCode");
    const wrong = { userId, verificationCode: code === "11111111" ? "22222222" : "11111111" };
    const key = keyed();
    const first = await call("json", users.verifyPhone, wrong, key);
    expect(endingOf(first)).toBe(inHttp("json", "3 CODE_INVALID", 400));
    for (const lane of [...everyLane, ...everyLane]) {
      const again = await call(lane, users.verifyPhone, wrong, key);
      expect([lane, endingOf(again)]).toEqual([
        lane,
        `${inHttp(lane, "3 CODE_INVALID", 400)}, replayed true`,
      ]);
      expect([lane, refusalIn(again)]).toEqual([lane, refusalIn(first)]);
    }
    const right = { userId, verificationCode: code };
    expect(endingOf(await call("json", users.verifyPhone, right, {}))).toBe("answered");
  });

  test("of a phone that was set sends no second message", async () => {
    const { service, world, traces } = setting;
    const create = () => createHumanUser(service, world.organizations.ours);
    const before = (await traces.count())["messages"] ?? 0;
    const key = keyed();
    const phone = { userId: await create(), phone: nextPhone(), sendCode: {} };
    for (let time = 0; time < 3; time++) answerIn(await call("grpc", users.setPhone, phone, key));
    await traces.sent(phone.phone);
    // The outbox of a process keeps the order of the calls: with this message, all before it are there.
    const last = nextPhone();
    await service.call(users.setPhone, { userId: await create(), phone: last });
    await traces.sent(last);
    expect((await traces.count())["messages"]).toBe(before + 2);
  });
});
