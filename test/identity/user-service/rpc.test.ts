import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { UserSchema, UserState } from "../../../gen/gatehouse/v1/user_pb.ts";
import * as messages from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { Rpc, ServiceImplementation } from "../../../src/identity/rpc.ts";
import { createUserService } from "../../../src/identity/user-service/rpc.ts";
import { type CreationOptions, registerInSoftware } from "../../support/software-authenticator.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { outcomeOf } from "../../support/problems.ts";

const profile = { username: "ada", givenName: "Ada", familyName: "Lovelace", email: "ada@example.com" };
let fixture: Fixture;
let service: ServiceImplementation;

beforeEach(async () => {
  fixture = await openFixture();
  service = createUserService(fixture.commands, fixture.context);
});
afterEach(() => fixture.close());

/** Runs an rpc as the pipeline does: the request goes in as JSON and the answer comes out as JSON. */
async function run(
  name: string,
  request: JsonObject,
  caller?: Parameters<Fixture["call"]>[0],
): Promise<JsonObject> {
  const method = service.service.methods.find(({ localName }) => localName === name)!;
  const rpc = service.rpcs[name] as Rpc; // the service has no streams
  const answer = await rpc.run(fixture.call(caller), fromJson(method.input, request));
  return toJson(method.output, create(method.output, answer)) as JsonObject;
}

function fieldsOf(name: string, request: JsonObject): readonly string[] {
  const method = service.service.methods.find(({ localName }) => localName === name)!;
  return (service.rpcs[name]?.check?.(fromJson(method.input, request)) ?? []).map(({ field }) => field);
}

const addHuman = async (more: JsonObject = {}) => {
  const { userId } = await run("addHumanUser", { ...profile, ...more });
  return userId as string; // protobuf JSON of a string field
};

test("every rpc of the service is there", () => {
  expect(Object.keys(service.rpcs).toSorted()).toEqual(Object.keys(messages.UserService.method).toSorted());
});

describe("users", () => {
  test("a human user is added and read", async () => {
    const userId = await addHuman({
      displayName: "Countess",
      preferredLanguage: "en",
      phone: "+41 79 123 45 67",
    });
    const { user } = await run("getUser", { userId });
    const read = fromJson(UserSchema, user!);
    expect(read.state).toBe(UserState.ACTIVE);
    expect(read.details?.changeDate).toEqual(read.details?.creationDate);
    expect(user).toMatchObject({
      id: userId,
      username: "ada",
      human: {
        givenName: "Ada",
        familyName: "Lovelace",
        displayName: "Countess",
        preferredLanguage: "en",
        email: "ada@example.com",
        phone: "+41791234567",
      },
    });
  });

  test("the caller reads themselves", async () => {
    const { user } = await run("getMyUser", {});
    expect(user).toMatchObject({ username: "admin", service: { name: "Administrator" } });
  });

  test("bad languages and phones are violations of their fields", () => {
    expect(fieldsOf("addHumanUser", { ...profile, phone: "079", preferredLanguage: "de_CH" })).toEqual([
      "preferred_language",
      "phone",
    ]);
    expect(fieldsOf("addHumanUser", profile)).toEqual([]);
    expect(fieldsOf("setPhone", { userId: "1", phone: "079" })).toEqual(["phone"]);
  });
});

describe("phones", () => {
  test("a code is returned, and verifies; that answer has no creation date", async () => {
    const userId = await addHuman();
    const made = await run("setPhone", { userId, phone: "+41791234567", returnCode: {} });
    expect(made["verificationCode"]).toMatch(/^[0-9]{8}$/);
    expect(made["details"]).toHaveProperty("creationDate");
    const { verificationCode } = await run("resendPhoneCode", { userId, returnCode: {} });
    const { details } = await run("verifyPhone", { userId, verificationCode: verificationCode ?? "" });
    expect(Object.keys(details as JsonObject).toSorted()).toEqual([
      "changeDate",
      "resourceOwner",
      "sequence",
    ]);
  });

  test.each(["setPhone", "resendPhoneCode"])(
    "%s without a choice sends the code and does not return it",
    async (name) => {
      const userId = await addHuman({ phone: "+41791234567" });
      const request: JsonObject = name === "setPhone" ? { userId, phone: "+41791234567" } : { userId };
      expect(Object.keys(await run(name, request))).toEqual(["details"]);
      await fixture.commands.phones.texter.idle();
      expect(fixture.sms.sent).toHaveLength(1);
    },
  );

  test("a phone is verified by word, but not one's own", async () => {
    const userId = await addHuman();
    const request = { userId, phone: "+41791234567", isVerified: true };
    const own = { ...request, userId: fixture.administrator.userId };
    expect(await outcomeOf(run("setPhone", own))).toBe("SELF_VERIFICATION_FORBIDDEN");
    await run("setPhone", request);
    const { user } = await run("getUser", { userId });
    expect(user).toHaveProperty("human.isPhoneVerified", true);
  });
});

describe("u2f tokens", () => {
  test("one is registered, verified and listed", async () => {
    const userId = await addHuman();
    const begun = await run("registerU2f", { userId });
    const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions; // has its shape
    const publicKeyCredential = registerInSoftware(options) as unknown as JsonObject; // of strings
    const u2fId = begun["u2fId"] ?? "";
    expect(fieldsOf("verifyU2f", { userId, u2fId, publicKeyCredential, tokenName: "Key" })).toEqual([]);
    const { details } = await run("verifyU2f", { userId, u2fId, publicKeyCredential, tokenName: "Key" });
    expect(Object.keys(details as JsonObject).toSorted()).toEqual([
      "changeDate",
      "resourceOwner",
      "sequence",
    ]);
    const { secondFactors } = await run("listSecondFactors", { userId });
    expect(secondFactors).toEqual([
      {
        id: u2fId,
        details: { ...(begun["details"] as JsonObject), ...(details as JsonObject) },
        state: "SECOND_FACTOR_STATE_READY",
        type: "SECOND_FACTOR_TYPE_U2F",
        name: "Key",
        domain: "localhost",
      },
    ]);
  });

  test.each([
    [54, ["public_key_credential"]],
    [55, []],
    [1_048_576, []],
    [1_048_577, ["public_key_credential"]],
  ])("a credential of %s characters of compact JSON", (length, fields) => {
    const of = (text: string) =>
      fieldsOf("verifyU2f", { userId: "1", u2fId: "1", publicKeyCredential: { id: text } });
    const frame = '{"id":""}'.length;
    expect(of("x".repeat(length - frame))).toEqual(fields);
    expect(of("😀".repeat(length - frame))).toEqual(fields);
  });
});

describe("personal access tokens", () => {
  test("one is made until a date", async () => {
    const userId = await addHuman();
    const answer = await run("addPersonalAccessToken", {
      userId,
      expirationDate: "2030-01-01T00:00:00.123456Z",
    });
    expect(answer["token"]).toMatch(new RegExp(`^gatehouse_pat_${answer["tokenId"] as string}_`));
    expect(answer["details"]).toHaveProperty("creationDate");
  });

  test.each(["2026-11-21T12:00:00Z", "1969-12-31T23:59:59.5Z"])(
    "%s is not in the future",
    (expirationDate) => {
      expect(fieldsOf("addPersonalAccessToken", { userId: "1", expirationDate })).toEqual([
        "expiration_date",
      ]);
    },
  );

  // Only binary can carry them: 2 s of nanos lead from the last second but one of the year 9999 into the next.
  test.each([-1, 1_000_000_000, 2_147_483_647])("a date with %d nanos is none", (nanos) => {
    const expirationDate = create(TimestampSchema, { seconds: 253_402_300_798n, nanos });
    const request = create(messages.AddPersonalAccessTokenRequestSchema, { userId: "1", expirationDate });
    const violations = service.rpcs["addPersonalAccessToken"]?.check?.(request) ?? [];
    expect(violations.map(({ field }) => field)).toEqual(["expiration_date"]);
  });
});
