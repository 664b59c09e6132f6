import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type DescMethodUnary, type JsonObject, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { Outcome } from "../support/clients.ts";
import { listMethods } from "../support/methods.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { createHumanUser, createProject, idOf, samlMetadata, uniqueName } from "../support/world.ts";
import { type FreeText, freeTexts, unseen, verbatim } from "./support/free-texts.ts";
import { type Ground, layGround } from "./support/ground.ts";
import { alike, onEveryLane, openLanes, violationsOf } from "./support/lanes.ts";
import { controlTexts, noIds } from "./support/odd-texts.ts";
import { limitOf, listRequestFields, type RequestField } from "./support/request-fields.ts";
import { send, type WireAnswer } from "./support/wire.ts";

let service: TestService;
let grounds: Readonly<Record<"json" | "grpc", Ground>>;
beforeAll(async () => {
  service = await startService();
  grounds = { json: await layGround(service, "json"), grpc: await layGround(service, "grpc") };
});
afterAll(() => service.stop());

const chosenLanes = sized<readonly ("json" | "grpc")[]>({ small: ["json"], full: ["json", "grpc"] });

/** What came of a call, as far as the rules of fields are concerned. */
function verdict(outcome: Outcome): string {
  if (outcome.kind === "answer") return "accepted";
  const { reason, fields } = refusalOf(outcome);
  return reason === "FIELD_INVALID" ? `refused: ${fields.join(", ")}` : "accepted";
}

let letters = 0;

/** Returns a letter that no other call returned: one of one UTF-16 unit, or one of two. */
function nextLetter(isAstral: boolean): string {
  letters += 1;
  return String.fromCodePoint((isAstral ? 0x20_000 : 0x4e00) + letters);
}

interface Sent {
  readonly what: string;
  readonly value: string;
}

function valuesFor({ isOptional }: FreeText): readonly (Sent & { readonly isLegal: boolean })[] {
  const make = (length: number, isAstral: boolean, isLegal: boolean) => ({
    what: `${length}${isAstral ? " astral" : ""}`,
    value: nextLetter(isAstral).repeat(length),
    isLegal,
  });
  return [
    make(0, false, isOptional),
    make(1, false, true),
    make(200, true, true),
    make(201, false, false),
    make(201, true, false),
  ];
}

const everyPlace = (await listMethods()).flatMap((method) =>
  listRequestFields(method.input).map((place) => ({ method, place })),
);
const places = sized({ small: everyPlace.filter((_place, index) => index % 3 === 0), full: everyPlace });

type Place = (typeof places)[number];

function pathOf(method: DescMethodUnary): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/** Sends a request that holds nothing but this value, as the administrator. */
async function sendAt(
  lane: "json" | "grpc",
  { method, place }: Place,
  value: string | number,
): Promise<WireAnswer> {
  const body =
    lane === "json" ? JSON.stringify(place.toJson(value)) : toBinary(method.input, place.toMessage(value));
  return await send(service, lane, { path: pathOf(method), body });
}

function complaintsAt({ status }: WireAnswer, place: RequestField): readonly string[] {
  return violationsOf(status?.details ?? [])
    .filter(({ field }) => field === place.path)
    .map(({ description }) => description);
}

test("publicKeyCredential has at most 1,000 values and 16 levels, on every lane", async () => {
  const { userId, u2fId } = grounds.json;
  const callOn = openLanes(service);
  const token = service.adminToken;
  const nested = (levels: number): JsonValue => (levels === 0 ? 0 : { a: nested(levels - 1) });
  const list = (length: number) => Array.from({ length }, () => 0);
  // The credential itself is a level, and `a` and `b` are values.
  const seen = await onEveryLane(async (lane) => {
    const reasons: unknown[] = [];
    for (const a of [list(998), list(999), nested(15), nested(16)]) {
      const request = { userId, u2fId, tokenName: "Key", publicKeyCredential: { a, b: "x".repeat(55) } };
      const { code, reason, fields } = refusalOf(
        await callOn[lane](UserService.method.verifyU2f, request, { token }),
      );
      reasons.push([code, reason, fields]);
    }
    return reasons;
  });
  const taken = [3, "U2F_CREDENTIAL_MALFORMED", ["public_key_credential"]];
  const refused = [3, "INVALID_REQUEST", ["public_key_credential"]];
  expect(seen).toEqual(alike([taken, refused, taken, refused]));
});

describe.each(chosenLanes)("over %s", (lane) => {
  test.each(freeTexts.map((row) => [`${row.method.name} ${row.field}`, row] as const))(
    "%s keeps its bounds, counted in code points, and what it stores is what was sent",
    async (_name, row) => {
      const ground = grounds[lane];
      const seen: Record<string, unknown> = {};
      const expected: Record<string, unknown> = {};
      for (const { what, value, isLegal } of valuesFor(row)) {
        const outcome = await ground.call(row.method, row.request(ground, value));
        seen[what] = verdict(outcome);
        expected[what] = isLegal ? "accepted" : `refused: ${row.field}`;
        if (outcome.kind !== "answer") continue;
        seen[`${what}, stored`] = await row.read(ground, outcome.json);
        expected[`${what}, stored`] = value;
      }
      expect(seen).toEqual(expected);
    },
  );

  test("publicKeyCredential has 55 to 1,048,576 characters as compact JSON", async () => {
    const ground = grounds[lane];
    // {"a":"…"} has 8 characters without the text.
    const sendOf = (length: number, letter: string) =>
      ground.call(UserService.method.verifyU2f, {
        userId: ground.userId,
        u2fId: ground.u2fId,
        tokenName: "Key",
        publicKeyCredential: { a: letter.repeat(length - 8) },
      });
    const seen: Record<string, unknown> = {};
    for (const length of [8, 54, 55, 1_048_576, 1_048_577])
      for (const letter of ["x", "\u{1F600}"])
        seen[`${length} ${letter}`] = refusalOf(await sendOf(length, letter));
    const refused = { code: 3, reason: "FIELD_INVALID", fields: ["public_key_credential"] };
    const accepted = { code: 3, reason: "U2F_CREDENTIAL_MALFORMED", fields: ["public_key_credential"] };
    const each = (length: number, refusal: object) =>
      ["x", "\u{1F600}"].map((letter) => [`${length} ${letter}`, expect.objectContaining(refusal)] as const);
    expect(seen).toEqual(
      Object.fromEntries([
        ...each(8, refused),
        ...each(54, refused),
        ...each(55, accepted),
        ...each(1_048_576, accepted),
        ...each(1_048_577, refused),
      ]),
    );
  });

  test("publicKeyCredential must be there", async () => {
    const { call, userId, u2fId } = grounds[lane];
    const absent = await call(UserService.method.verifyU2f, { userId, u2fId, tokenName: "Key" });
    expect(refusalOf(absent)).toMatchObject({ reason: "FIELD_INVALID", fields: ["public_key_credential"] });
    const empty = await call(UserService.method.verifyU2f, {
      userId,
      u2fId,
      tokenName: "Key",
      publicKeyCredential: {},
    });
    expect(refusalOf(empty)).toMatchObject({ reason: "FIELD_INVALID", fields: ["public_key_credential"] });
  });

  test("roles come 1 to 1,000 at once and are given up to 1,000 at once, each of 1 to 200 characters", async () => {
    const ground = grounds[lane];
    const projectId = await createProject(service, ground.organizationId);
    const letter = nextLetter(true);
    const keys = Array.from(
      { length: 1000 },
      (_each, index) => String(index).padEnd(4, "-") + letter.repeat(196),
    );
    const { bulkAddProjectRoles, addProjectGrant } = ProjectService.method;
    const add = (roleKeys: readonly string[]) =>
      ground.call(bulkAddProjectRoles, { projectId, roles: roleKeys.map((roleKey) => ({ roleKey })) });
    expect([verdict(await add([])), verdict(await add([...keys, "another"]))]).toEqual([
      "refused: roles",
      "refused: roles",
    ]);
    expect(verdict(await add(["a", `${keys[0]}x`, ""]))).toBe(
      "refused: roles[1].role_key, roles[2].role_key",
    );
    answerOf(await add([letter]));
    answerOf(await add(keys));
    const { addUserGrant, getUserGrant } = UserGrantService.method;
    const give = async (roleKeys: string[]) => {
      const userId = await createHumanUser(service, ground.organizationId);
      return [userId, await ground.call(addUserGrant, { userId, projectId, roleKeys })] as const;
    };
    expect(verdict((await give([...keys, letter]))[1])).toBe("refused: role_keys");
    expect(verdict((await give([letter, ""]))[1])).toBe("refused: role_keys[1]");
    expect(verdict((await give([`${keys[0]}x`]))[1])).toBe("refused: role_keys[0]");
    for (const roleKeys of [[], [letter], keys]) {
      const [userId, outcome] = await give(roleKeys);
      const grantId = idOf(answerOf(outcome), "userGrantId");
      const { userGrant } = await ground.read(getUserGrant, { userId, grantId });
      expect(((userGrant as JsonObject)["roleKeys"] as string[]).toSorted()).toEqual(roleKeys.toSorted());
    }
    const tooMany = { projectId, grantedOrganizationId: "1", roleKeys: [...keys, letter] };
    expect(verdict(await ground.call(addProjectGrant, tooMany))).toBe("refused: role_keys");
  });

  test("scopes come up to 50 of up to 200 characters, each once, in their order", async () => {
    const ground = grounds[lane];
    const { addOidcIdentityProvider, getIdentityProvider } = IdentityProviderService.method;
    const letter = nextLetter(true);
    const scopes = Array.from({ length: 50 }, (_each, index) => `${99 - index}${letter.repeat(198)}`);
    const add = (sent: string[]) =>
      ground.call(addOidcIdentityProvider, {
        name: uniqueName("Scopes"),
        clientId: "c",
        clientSecret: "s",
        issuer: "https://idp.example.com",
        scopes: sent,
      });
    expect(verdict(await add([...scopes, "openid"]))).toBe("refused: scopes");
    expect(verdict(await add(["openid", `${scopes[0]}x`]))).toBe("refused: scopes[1]");
    for (const [sent, kept] of [
      [[], []],
      [scopes, scopes],
      [
        ["b", "a", "b", "c", "a"],
        ["b", "a", "c"],
      ],
      [[...scopes, ...scopes], scopes],
    ] as const) {
      const idpId = idOf(answerOf(await add([...sent])), "idpId");
      const { identityProvider } = await ground.read(getIdentityProvider, { idpId });
      expect(((identityProvider as JsonObject)["oidc"] as JsonObject)["scopes"]).toEqual(kept);
    }
  });

  test("metadata has up to 500,000 bytes", async () => {
    const { call, projectId } = grounds[lane];
    const ofLength = (length: number) => {
      const plain = Buffer.from(samlMetadata(`https://sp.example.com/${lane}-${length}`));
      return Buffer.concat([plain, Buffer.alloc(length - plain.length, " ")]);
    };
    const create = (length: number) =>
      call(ApplicationService.method.createSamlApplication, {
        projectId,
        name: uniqueName("Large"),
        metadataXml: ofLength(length),
      });
    answerOf(await create(500_000));
    expect(refusalOf(await create(500_001))).toMatchObject({
      code: 3,
      reason: "SAML_METADATA_TOO_LARGE",
      fields: ["metadata_xml"],
    });
  });
  const texts = Map.groupBy(
    places.filter(({ place }) => place.enumeration === undefined),
    ({ method }) => method.parent.name,
  );

  test("texts in requests are found", () => {
    expect([...texts.values()].flat().length).toBeGreaterThan(50);
  });

  test.each([...texts])(
    "every text in every request of %s has its limit, counted in code points",
    async (_service, textsOfService) => {
      const seen: Record<string, unknown> = {};
      const expected: Record<string, unknown> = {};
      for (const at of textsOfService) {
        const name = `${at.method.name} ${at.place.path}`;
        const limit = limitOf(at.method, at.place);
        const tooLong = `must be at most ${limit} characters`;
        const complaints = async (length: number) =>
          complaintsAt(await sendAt(lane, at, "\u{1F600}".repeat(length)), at.place).filter((each) =>
            each.startsWith("must be at most"),
          );
        seen[name] = [await complaints(limit), await complaints(limit + 1)];
        expected[name] = [[], [tooLong]];
      }
      expect(seen).toEqual(expected);
    },
  );

  test("every enum in every request refuses names and numbers that it does not have, naming the field", async () => {
    const enums = places.filter(({ place }) => place.enumeration !== undefined);
    const values = lane === "json" ? ["STYLING_TYPE_APPLE", "", 99, -1, 0.5, "1"] : [99, -1, 2 ** 31 - 1];
    const seen: Record<string, unknown> = {};
    for (const at of enums) {
      const answers = [];
      for (const value of values) {
        const answer = await sendAt(lane, at, value);
        answers.push([answer.status?.code, complaintsAt(answer, at.place).length]);
      }
      seen[`${at.method.name} ${at.place.path}`] = answers;
    }
    expect(enums.length).toBeGreaterThan(6);
    expect(seen).toEqual(
      Object.fromEntries(Object.keys(seen).map((name) => [name, values.map(() => [3, 1])])),
    );
  });

  test.each(freeTexts.map((row) => [`${row.method.name} ${row.field}`, row] as const))(
    "%s refuses blanks and control characters",
    async (_name, row) => {
      const ground = grounds[lane];
      const seen = [];
      for (const value of controlTexts) {
        const outcome = await ground.call(row.method, row.request(ground, value));
        const { reason, fields } = refusalOf(outcome);
        seen.push([JSON.stringify(value), reason, [...new Set(fields)]]);
      }
      expect(seen).toEqual(
        controlTexts.map((value) => [JSON.stringify(value), "FIELD_INVALID", [row.field]]),
      );
    },
  );

  const names = freeTexts.filter(({ field }) => !/(?:client_id|issuer)$/.test(field));

  test.each(names.map((row) => [`${row.method.name} ${row.field}`, row] as const))(
    "%s is a name that refuses what is not seen",
    async (name, row) => {
      const ground = grounds[lane];
      const seen = [];
      for (const value of unseen) {
        const sent = value.replace("#", `${lane} ${name}`);
        const { reason, fields } = refusalOf(await ground.call(row.method, row.request(ground, sent)));
        seen.push([value, reason, fields]);
      }
      expect(seen).toEqual(unseen.map((value) => [value, "FIELD_INVALID", [row.field]]));
    },
  );

  test.each(freeTexts.map((row) => [`${row.method.name} ${row.field}`, row] as const))(
    "%s is stored exactly as it was sent",
    async (name, row) => {
      const ground = grounds[lane];
      const sent = verbatim.map((value) => value.replace("#", `${lane} ${name}`));
      const stored = [];
      for (const value of sent) {
        const answer = answerOf(await ground.call(row.method, row.request(ground, value)));
        stored.push(await row.read(ground, answer));
      }
      expect(stored).toEqual(sent);
    },
  );
});

test("what names an object takes any text: one that is no id is not found, and never a fault", async () => {
  const { call, projectId, userId } = grounds.grpc;
  const calls: Readonly<Record<string, (id: string) => Promise<Outcome>>> = {
    organization: (id) => call(OrganizationService.method.getOrganization, { id }),
    project: (id) => call(ProjectService.method.updateProject, { id, name: "x" }),
    role: (roleKey) => call(ProjectService.method.removeProjectRole, { projectId, roleKey }),
    provider: (idpId) => call(IdentityProviderService.method.getIdentityProvider, { idpId }),
    user: (id) => call(UserService.method.verifyPhone, { userId: id, verificationCode: "12345678" }),
    "second factor": (u2fId) => call(UserService.method.removeU2f, { userId, u2fId }),
    grant: (grantId) => call(UserGrantService.method.getUserGrant, { userId, grantId }),
    application: (appId) => call(ApplicationService.method.getApplication, { projectId, appId }),
  };
  for (const [what, ask] of Object.entries(calls))
    for (const id of noIds) expect([what, id, refusalOf(await ask(id)).code]).toEqual([what, id, 5]);
});

test("an empty object answers with everything that is missing", async () => {
  const seen: Record<string, JsonObject | undefined> = {};
  for (const method of await listMethods()) {
    const { status } = await send(service, "json", { path: pathOf(method), body: "{}" });
    seen[method.name] = status?.details[0];
    expect([method.name, status?.code]).not.toEqual([method.name, 13]);
  }
  const required = Object.entries(seen).filter(([, info]) => info?.["reason"] === "FIELD_INVALID");
  expect(required.length).toBeGreaterThan(12);
});
