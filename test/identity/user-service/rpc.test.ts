import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import * as messages from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { Rpc, ServiceImplementation } from "../../../src/identity/rpc.ts";
import { createUserService } from "../../../src/identity/user-service/rpc.ts";
import { type Fixture, openFixture } from "./fixture.ts";

const profile = { username: "ada", givenName: "Ada", familyName: "Lovelace", email: "ada@example.com" };
let fixture: Fixture;
let service: ServiceImplementation;

beforeEach(async () => {
  fixture = await openFixture();
  service = createUserService(fixture.commands, fixture.context);
});
afterEach(() => fixture.close());

/** Runs an rpc as the pipeline does: the request goes in as JSON and the answer comes out as JSON. */
async function run(name: string, request: JsonObject): Promise<JsonObject> {
  const method = service.service.methods.find(({ localName }) => localName === name)!;
  const rpc = service.rpcs[name] as Rpc; // the service has no streams
  const answer = await rpc.run(fixture.call(), fromJson(method.input, request));
  return toJson(method.output, create(method.output, answer)) as JsonObject;
}

function fieldsOf(name: string, request: JsonObject): readonly string[] {
  const method = service.service.methods.find(({ localName }) => localName === name)!;
  return (service.rpcs[name]?.check?.(fromJson(method.input, request)) ?? []).map(({ field }) => field);
}

test("bad languages and phones are violations of their fields", () => {
  expect(fieldsOf("addHumanUser", { ...profile, phone: "079", preferredLanguage: "de_CH" })).toEqual([
    "preferred_language",
    "phone",
  ]);
  expect(fieldsOf("addHumanUser", profile)).toEqual([]);
  expect(fieldsOf("setPhone", { userId: "1", phone: "079" })).toEqual(["phone"]);
});

test.each(["setPhone", "resendPhoneCode"])(
  "%s without a choice sends the code and does not return it",
  async (name) => {
    const { userId = "" } = await run("addHumanUser", { ...profile, phone: "+41791234567" });
    const request: JsonObject = name === "setPhone" ? { userId, phone: "+41791234567" } : { userId };
    expect(Object.keys(await run(name, request))).toEqual(["details"]);
    await fixture.commands.phones.texter.idle();
    expect(fixture.sms.sent).toHaveLength(1);
  },
);

describe("personal access tokens", () => {
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
