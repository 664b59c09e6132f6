import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { type CreationOptions, registerInSoftware } from "../support/software-authenticator.ts";
import { createHumanUser, idOf, nextPhone, uniqueName } from "../support/world.ts";
import { answerIn, endingOf, inHttp, refusalIn } from "./support/condition-outcomes.ts";
import { having, type Ready } from "./support/condition-rpcs.ts";
import { newKey, useConditionSetting } from "./support/condition-suite.ts";
import { type EveryLane, laneAt } from "./support/lanes.ts";
import { prepareRefusal, readyOf, stateRefusals } from "./support/state-refusals.ts";

// What x-service-validate-only is where an rpc has something of its own to it: state, counters, codes, messages. The cases take
// turns on the lanes: what each lane makes of a call that is only tried is in `conditions-validate-only.sized.test.ts`.

const setting = useConditionSetting();
const users = UserService.method;
const organizations = OrganizationService.method;
const named = stateRefusals.map(
  (refusal, index) => [`${refusal.method.name} ${refusal.reason}`, refusal, laneAt(index)] as const,
);

const tried = (ready: Ready) => having(ready, { "x-service-validate-only": "true" });
const newUser = () => createHumanUser(setting.service, setting.world.organizations.ours);

/** Makes a call on a lane, only tried, and returns the answer but for its instant, which is another one each time. */
async function answerTried(lane: EveryLane, ready: Ready): Promise<JsonObject> {
  const outcome = await setting.make(lane, tried(ready));
  expect([lane, endingOf(outcome)]).toEqual([lane, "validated true"]);
  const { details, ...more } = answerIn(outcome);
  return { ...more, details: { ...(details as JsonObject), sequence: "", changeDate: "" } };
}

describe("what is stored refuses a call that is only tried, too:", () => {
  test.each(named)("%s", async (_name, refusal, lane) => {
    const { world, make, traces } = setting;
    const ready = await prepareRefusal(world, refusal);
    const before = await traces.count();
    const outcome = await make(lane, tried(ready));
    expect(refusalIn(outcome)).toEqual(refusalIn(await make(lane, ready)));
    expect(endingOf(outcome)).toContain(` ${refusal.reason}`);
    expect(await traces.count()).toEqual(before);
  });

  test("a name that is taken", async () => {
    const { world, make, service } = setting;
    const name = uniqueName("Taken");
    await service.call(organizations.addOrganization, { name });
    const outcome = await make("rest", tried(readyOf(world, organizations.addOrganization, { name })));
    expect(endingOf(outcome)).toBe(inHttp("rest", "6 ALREADY_EXISTS", 409));
  });
});

describe("a call that is only tried", () => {
  test("sends no message and starts no pause", async () => {
    const { world, make, traces, service } = setting;
    const phone = nextPhone();
    const userId = await newUser();
    const created = await traces.tables();
    const { messages: before = 0 } = await traces.count();
    const ready = readyOf(world, users.setPhone, { userId, phone, sendCode: {} });
    for (let time = 0; time < 10; time++) await answerTried("grpc", ready);
    expect(await traces.tables()).toEqual(created);
    expect(endingOf(await make("grpc", ready))).toBe("answered");
    await traces.sent(phone);
    // The outbox of a process keeps the order of the calls: with this message, all before it are there.
    const last = nextPhone();
    await service.call(users.setPhone, { userId: await newUser(), phone: last });
    await traces.sent(last);
    expect((await traces.count())["messages"]).toBe(before + 2);
    // Now there is a pause, for a call that is only tried as well.
    const resend = readyOf(world, users.resendPhoneCode, { userId, sendCode: {} });
    const refused = await make("grpc", tried(resend));
    expect(refusalIn(refused)).toEqual(refusalIn(await make("grpc", resend)));
    expect(endingOf(refused)).toContain(" RATE_LIMITED");
  });

  test("does not say whether a phone code is right, and counts no try", async () => {
    const { world, make, service } = setting;
    const userId = await newUser();
    const set = await service.call(users.setPhone, {
      userId,
      phone: nextPhone(),
      verification: { case: "returnCode", value: {} },
    });
    const code = idOf(set, "verificationCode");
    const right = readyOf(world, users.verifyPhone, { userId, verificationCode: code });
    const wrong = readyOf(world, users.verifyPhone, {
      userId,
      verificationCode: code === "11111111" ? "22222222" : "11111111",
    });
    const expected = await answerTried("rest", right);
    for (let time = 0; time < 12; time++) expect(await answerTried("rest", wrong)).toEqual(expected);
    expect(endingOf(await make("rest", right))).toBe("answered");
  });

  test("does not say whether a credential is right, and uses up no challenge", async () => {
    const { world, make, service } = setting;
    const userId = await newUser();
    const begun = await service.call(users.registerU2f, { userId });
    const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
    const verify = (publicKeyCredential: unknown) =>
      readyOf(world, users.verifyU2f, {
        userId,
        u2fId: idOf(begun, "u2fId"),
        publicKeyCredential: publicKeyCredential as JsonObject,
        tokenName: "Key",
      });
    const right = verify(registerInSoftware(options));
    const expected = await answerTried("grpc-web", right);
    const wrong = registerInSoftware(options, { clientData: { challenge: "AAAA" } });
    expect(await answerTried("grpc-web", verify(wrong))).toEqual(expected);
    const empty = { id: "x".repeat(60), type: "public-key" };
    expect(await answerTried("grpc-web", verify(empty))).toEqual(expected);
    expect(endingOf(await make("grpc-web", right))).toBe("answered");
  });

  test("stores nothing under its idempotency key, and answers what is stored", async () => {
    const { world, make, traces } = setting;
    const key = { "idempotency-key": newKey() };
    const ready = having(readyOf(world, organizations.addOrganization, { name: uniqueName("New") }), key);
    const before = await traces.count();
    expect(endingOf(await make("json", tried(ready)))).toBe("validated true");
    expect(await traces.count()).toEqual(before);
    const real = await make("json", ready);
    expect(endingOf(real)).toBe("answered");
    const again = await make("json", tried(ready));
    expect(endingOf(again)).toBe("replayed true");
    expect(answerIn(again)).toEqual(answerIn(real));
  });
});
