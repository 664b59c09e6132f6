import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { Outcome } from "../support/clients.ts";
import { answerOf, refusalOf, startService } from "../support/service.ts";
import {
  type CreationOptions,
  encodeCbor,
  type RegistrationChoices,
  registerInSoftware,
  type SoftwareFormat,
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

  test.each<SoftwareFormat>(["none", "packed", "packed-x5c", "fido-u2f"])(
    "may attest by %s",
    async (format) => {
      const registration = await begin();
      answerOf(await complete(callOn.grpc, registration, { format }));
      expect(await statesOf(registration.userId)).toEqual(["SECOND_FACTOR_STATE_READY"]);
    },
  );

  test("may come in base64 as well as in base64url, and from any port of localhost", async () => {
    for (const choices of [
      { encoding: "base64", origin: "http://localhost" },
      { encoding: "base64url", origin: "http://localhost:8443" },
    ] as const) {
      const registration = await begin();
      answerOf(await complete(callOn.json, registration, choices));
      expect(await statesOf(registration.userId)).toEqual(["SECOND_FACTOR_STATE_READY"]);
    }
  });

  test("completes exactly the registration that it names", async () => {
    const first = await begin();
    const second = await begin(first.userId);
    answerOf(await complete(callOn.json, second));
    expect(await statesOf(first.userId)).toEqual([
      "SECOND_FACTOR_STATE_NOT_READY",
      "SECOND_FACTOR_STATE_READY",
    ]);
  });
});

describe("a bad credential has a reason of its own, and leaves the registration open:", () => {
  const otherChallenge = Buffer.alloc(32, 7).toString("base64url");

  const bad: readonly (readonly [string, string, RegistrationChoices])[] = [
    ["a wrong origin", "U2F_ORIGIN_INVALID", { origin: "https://evil.example" }],
    ["an origin that only begins alike", "U2F_ORIGIN_INVALID", { origin: "http://localhost.evil.example" }],
    ["a page in a frame of another one", "U2F_ORIGIN_INVALID", { clientData: { crossOrigin: true } }],
    [
      "a page in another site's one",
      "U2F_ORIGIN_INVALID",
      { clientData: { topOrigin: "https://evil.example" } },
    ],
    [
      "a key that anybody can sign for",
      "U2F_CREDENTIAL_MALFORMED",
      {
        publicKey: encodeCbor(
          new Map<number, unknown>([
            [1, 1],
            [3, -8],
            [-1, 6],
            [-2, Buffer.alloc(32)],
          ]),
        ),
      },
    ],
    [
      "a certificate with another key than its algorithm's",
      "U2F_ATTESTATION_INVALID",
      { format: "packed-x5c", algorithm: -257 },
    ],
    ["a wrong challenge", "U2F_CHALLENGE_INVALID", { clientData: { challenge: otherChallenge } }],
    ["an empty challenge", "U2F_CHALLENGE_INVALID", { clientData: { challenge: "" } }],
    [
      "a wrong relying party id",
      "U2F_RP_ID_INVALID",
      { rpId: "example.com", origin: "http://localhost:3000" },
    ],
    ["nobody there", "U2F_USER_PRESENCE_MISSING", { flags: 0x40 }],
    ["a wrong signature", "U2F_SIGNATURE_INVALID", { format: "packed", hasWrongSignature: true }],
    ["an unknown attestation", "U2F_ATTESTATION_INVALID", { writtenFormat: "homemade" }],
    ["an answer to a login", "U2F_CREDENTIAL_MALFORMED", { clientData: { type: "webauthn.get" } }],
    [
      "bytes behind the attestation",
      "U2F_CREDENTIAL_MALFORMED",
      { attestationObject: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) },
    ],
    [
      "an attestation that ends too soon",
      "U2F_CREDENTIAL_MALFORMED",
      { attestationObject: (bytes) => bytes.subarray(0, bytes.length - 1) },
    ],
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
    ["a response that is a list", { id: "AA", rawId: "AA", type: "public-key", response: ["x".repeat(40)] }],
    [
      "texts that are numbers",
      { id: 1, rawId: 1, type: "public-key", response: { clientDataJSON: 2, attestationObject: 3 } },
    ],
    [
      "null everywhere",
      { id: null, rawId: null, type: null, response: null, more: null, filler: null, last: null },
    ],
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

describe("a registration", () => {
  test("with a u2f_id that does not exist is NOT_FOUND", async () => {
    const registration = await begin();
    for (const u2fId of ["1", "none"]) {
      const [outcome] = await expectRefused("NOT_FOUND", 5, (call) =>
        complete(call, { ...registration, u2fId }),
      );
      expect(outcome && refusalOf(outcome).resource).toBe("second_factor");
    }
  });

  test("of another user is NOT_FOUND, in the same words as one that never was", async () => {
    const mine = await begin();
    const theirs = await begin();
    const stolen = { ...theirs, userId: mine.userId };
    const [refused] = await expectRefused("NOT_FOUND", 5, (call) => complete(call, stolen));
    const never = statusOf(await complete(callOn.json, { ...stolen, u2fId: "1" }));
    const seen = JSON.stringify(refused && statusOf(refused));
    expect(seen.replaceAll(theirs.u2fId, "1")).toBe(JSON.stringify(never));
    expect(await statesOf(theirs.userId)).toEqual(["SECOND_FACTOR_STATE_NOT_READY"]);
  });

  test("cannot be completed with the answer to another registration of the same user", async () => {
    const first = await begin();
    const second = await begin(first.userId);
    await expectRefused("U2F_CHALLENGE_INVALID", 3, (call) =>
      complete(call, { ...second, options: first.options }),
    );
  });

  test("is completed once: a second use is refused, with the same credential and with another", async () => {
    const registration = await begin();
    const credentialId = new Uint8Array(16).fill(everyLane.length);
    answerOf(await complete(callOn.json, registration, { credentialId }));
    await expectRefused("U2F_ALREADY_VERIFIED", 9, (call) => complete(call, registration, { credentialId }));
    await expectRefused("U2F_ALREADY_VERIFIED", 9, (call) => complete(call, registration));
    expect(await statesOf(registration.userId)).toEqual(["SECOND_FACTOR_STATE_READY"]);
  });

  test("is completed once, also when it is tried 32 times at the same moment", async () => {
    const registration = await begin();
    const lanes = Array.from({ length: 32 }, (_each, index) => everyLane[index % everyLane.length] ?? "json");
    const outcomes = await Promise.all(lanes.map((lane) => complete(callOn[lane], registration)));
    const refused = outcomes
      .filter(({ kind }) => kind === "error")
      .map((outcome) => refusalOf(outcome).reason);
    expect(refused).toEqual(Array.from({ length: 31 }, () => "U2F_ALREADY_VERIFIED"));
  });

  test("with a token that is registered already, for whomever, is ALREADY_EXISTS", async () => {
    const credentialId = new Uint8Array(16).fill(99);
    const theirs = await begin();
    answerOf(await complete(callOn.json, theirs, { credentialId }));
    const mine = await begin();
    const outcomes = await expectRefused("ALREADY_EXISTS", 6, (call) =>
      complete(call, mine, { credentialId }),
    );
    const words = JSON.stringify(outcomes);
    expect([words.includes(theirs.userId), words.includes(theirs.u2fId)]).toEqual([false, false]);
  });

  test("lasts five minutes and no longer", async () => {
    const inTime = await begin();
    const late = await begin();
    service.clock.turn(5 * 60_000 - 1);
    answerOf(await complete(callOn.json, inTime));
    service.clock.turn(1);
    await expectRefused("U2F_EXPIRED", 9, (call) => complete(call, late));
    expect(await statesOf(late.userId)).toEqual(["SECOND_FACTOR_STATE_NOT_READY"]);
  });
});

describe("the relying party", () => {
  test("must be one that is configured", async () => {
    const userId = await createHumanUser(service, organizationId);
    const outcome = await callOn.grpc(registerU2f, { userId, domain: "example.com" }, { token: ownerToken });
    expect(refusalOf(outcome)).toMatchObject({ code: 3, reason: "FIELD_INVALID", fields: ["domain"] });
    answerOf(await callOn.grpc(registerU2f, { userId, domain: "localhost" }, { token: ownerToken }));
  });

  test("must be configured at all", async () => {
    // A CORS origin ends local mode, and with it the relying party id localhost.
    const bare = await startService({ "cors-origins": "https://console.example.com" });
    try {
      const { user } = await bare.call(UserService.method.getMyUser, {});
      const home = idOf((user as JsonObject)["details"] as JsonObject, "resourceOwner");
      const userId = await createHumanUser(bare, home);
      const outcome = await bare.clients.json.call(registerU2f, { userId }, { token: bare.adminToken });
      expect(refusalOf(outcome)).toMatchObject({ code: 9, reason: "U2F_NOT_CONFIGURED" });
    } finally {
      await bare.stop();
    }
  });
});
