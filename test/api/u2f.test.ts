import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { Outcome } from "../support/clients.ts";
import { answerOf, refusalOf } from "../support/service.ts";
import {
  type CreationOptions,
  type RegistrationChoices,
  registerInSoftware,
} from "../support/software-authenticator.ts";
import { createHumanUser, idOf } from "../support/world.ts";
import {
  type Call,
  type EveryLane,
  everyLane,
  lanesOfRow,
  onEveryLane,
  type Setting,
  startSetting,
  statusOf,
} from "./support/lanes.ts";

let service: Setting["service"];
let callOn: Setting["callOn"];
let organizationId: string;
let ownerToken: string;
beforeAll(async () => {
  const setting = await startSetting();
  ({ service, callOn } = setting);
  organizationId = setting.world.organizationId;
  ownerToken = setting.world.owner.token;
});
afterAll(() => service.stop());

const { registerU2f, verifyU2f, listSecondFactors } = UserService.method;

interface Registration {
  readonly userId: string;
  readonly u2fId: string;
  readonly options: CreationOptions;
}

/** Begins a registration, of a new user unless one is given. */
async function begin(userId?: string, on = service): Promise<Registration> {
  const user = userId ?? (await createHumanUser(on, organizationId));
  const answer = await on.call(registerU2f, { userId: user });
  return {
    userId: user,
    u2fId: idOf(answer, "u2fId"),
    options: answer["publicKeyCredentialCreationOptions"] as unknown as CreationOptions, // shaped by WebAuthn
  };
}

/** Completes a registration with what a software authenticator makes of it. */
function complete(
  call: Call,
  registration: Registration,
  choices: RegistrationChoices = {},
): Promise<Outcome> {
  const { userId, u2fId, options } = registration;
  const publicKeyCredential = registerInSoftware(options, choices);
  const request = { userId, u2fId, publicKeyCredential: { ...publicKeyCredential }, tokenName: "Key" };
  return call(verifyU2f, request, { token: ownerToken });
}

async function statesOf(userId: string): Promise<readonly unknown[]> {
  const { secondFactors } = await service.call(listSecondFactors, { userId });
  return (secondFactors as JsonObject[]).map(({ state }) => state);
}

/**
 * Makes a bad try on lanes, which must be refused alike and never as a fault of the service, and returns the refusals.
 * What differs from lane to lane is only what the request itself names.
 */
async function expectRefused(
  reason: string,
  code: number,
  make: (call: Call) => Promise<Outcome>,
  lanes: readonly EveryLane[] = everyLane,
): Promise<readonly Outcome[]> {
  const seenOn = await onEveryLane((lane) => make(callOn[lane]), lanes);
  const outcomes = Object.values(seenOn);
  const seen = outcomes.map((outcome) => {
    const refusal = refusalOf(outcome);
    return [refusal.code, refusal.reason];
  });
  expect(seen).toEqual(lanes.map(() => [code, reason]));
  const { rest } = seenOn;
  const httpStatus = rest?.kind === "error" ? rest.httpStatus : undefined;
  expect(httpStatus).toBe(rest && ({ 5: 404, 6: 409 }[code] ?? 400));
  return outcomes;
}

describe("a good credential", () => {
  test.each(everyLane)("completes its registration over %s", async (lane) => {
    const registration = await begin();
    expect(await statesOf(registration.userId)).toEqual(["SECOND_FACTOR_STATE_NOT_READY"]);
    answerOf(await complete(callOn[lane], registration));
    expect(await statesOf(registration.userId)).toEqual(["SECOND_FACTOR_STATE_READY"]);
  });
});

describe("a bad credential has a reason of its own, and leaves the registration open:", () => {
  // That each check has its reason is tested in test/kernel/webauthn; here, that all lanes give it.
  const otherChallenge = Buffer.alloc(32, 7).toString("base64url");
  const bad: readonly (readonly [string, string, RegistrationChoices])[] = [
    ["a wrong origin", "U2F_ORIGIN_INVALID", { origin: "https://evil.example" }],
    ["a wrong challenge", "U2F_CHALLENGE_INVALID", { clientData: { challenge: otherChallenge } }],
    ["a wrong signature", "U2F_SIGNATURE_INVALID", { format: "packed", hasWrongSignature: true }],
  ];

  test.each(bad.map(([what, reason, choices], index) => [what, reason, choices, lanesOfRow(index)] as const))(
    "%s",
    async (_what, reason, choices, lanes) => {
      const registration = await begin();
      const outcomes = await expectRefused(reason, 3, (call) => complete(call, registration, choices), lanes);
      const statuses = outcomes.map(statusOf);
      expect(statuses).toEqual(statuses.map(() => statuses[0]));
      expect(outcomes.map((outcome) => refusalOf(outcome).fields)).toEqual(
        outcomes.map(() => ["public_key_credential"]),
      );
      expect(await statesOf(registration.userId)).toEqual(["SECOND_FACTOR_STATE_NOT_READY"]);
      answerOf(await complete(callOn.json, registration));
    },
  );

  const shapeless: readonly (readonly [string, JsonObject])[] = [
    ["an object with nothing in it that matters", { pad: "x".repeat(60) }],
    ["keys that every object has", { constructor: {}, toString: "x".repeat(40), hasOwnProperty: true }],
  ];

  test.each(shapeless.map(([what, credential], index) => [what, credential, lanesOfRow(index)] as const))(
    "%s",
    async (_what, publicKeyCredential, lanes) => {
      const { userId, u2fId } = await begin();
      const request = { userId, u2fId, publicKeyCredential, tokenName: "Key" };
      const send = (call: Call) => call(verifyU2f, request, { token: ownerToken });
      await expectRefused("U2F_CREDENTIAL_MALFORMED", 3, send, lanes);
    },
  );
});
