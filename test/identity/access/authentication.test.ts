import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { crc32 } from "node:zlib";
import { Problem } from "../../../src/kernel/base/problem.ts";
import {
  accessTables,
  createCredentials,
  type FindCredentials,
} from "../../../src/identity/access/credentials.ts";
import { removeToken } from "../../../src/identity/programs/tokens/token.ts";
import { openSetup, type Setup } from "../memberships/setup.ts";
import { enterWith } from "../../support/no-access-tokens.ts";

let setup: Setup;
let findCredentials: FindCredentials;

beforeEach(async () => {
  setup = await openSetup();
  findCredentials = createCredentials(setup.log, setup.log.database.watch(accessTables));
});

afterEach(() => setup.close());

const authenticateWith = (authorization: string | undefined) =>
  enterWith({ findCredentials, clock: setup.log.clock }, authorization);

/** Returns everything that the caller gets to see of the refusal. */
async function refusalOf(authorization: string | undefined): Promise<object> {
  try {
    return { accepted: await authenticateWith(authorization) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { kind, reason, message, metadata, violations, resource } = error;
    return { kind, reason, message, metadata, violations, resource };
  }
}

const invalid = {
  kind: "unauthenticated",
  reason: "TOKEN_INVALID",
  message: "the token is malformed, unknown, expired or removed, or its user is not active",
  metadata: {},
  violations: [],
  resource: undefined,
};

/** Replaces the secret part of a token and makes the checksum right again. */
function withOtherSecret(text: string): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const body = `${text.slice(0, -49)}${"A".repeat(43)}`;
  const checksum = Array.from(
    { length: 6 },
    (_, place) => digits[Math.floor(crc32(body) / 62 ** (5 - place)) % 62],
  );
  return `${body}${checksum.join("")}`;
}

describe("authenticate", () => {
  test("finds out who calls, with all that they hold at the moment", async () => {
    const expirationMs = setup.log.clock.nowMs() + 1;
    const token = await setup.addToken({ userId: setup.userId, by: "system", expirationMs });
    await setup.give(setup.userId, setup.scopes.project, "PROJECT_OWNER");
    expect(await authenticateWith(`Bearer ${token.text}`)).toEqual({
      userId: setup.userId,
      organizationId: setup.home,
      tokenId: token.id,
      tokenExpirationMs: expirationMs,
      isLimited: false,
      held: [{ scope: setup.scopes.project, roles: ["PROJECT_OWNER"] }],
      accessRevision: expect.any(Number),
    });
  });

  test("takes the scheme in any case and blanks around the token (RFC 9110 §11.1)", async () => {
    const { text } = await setup.addToken({ userId: setup.userId, by: "system" });
    for (const header of [`bearer ${text}`, `BEARER   ${text}`, `Bearer ${text}  `]) {
      expect(await authenticateWith(header)).toMatchObject({ userId: setup.userId });
    }
  });

  test.each([undefined, "", "Basic dXNlcjpwYXNz"])(
    "says that the token is missing for the header %j",
    async (header) => {
      expect(await refusalOf(header)).toMatchObject({ kind: "unauthenticated", reason: "TOKEN_MISSING" });
    },
  );

  test("refuses whatever is no token of ours, in the same words", async () => {
    const { id, text } = await setup.addToken({ userId: setup.userId, by: "system" });
    const headers = [
      text,
      "Bearer",
      "Bearer ",
      "Bearer x",
      `Bearer ${text} ${text}`,
      `Bearer\n${text}`,
      `Bearer ${text.slice(0, -1)}`,
      `Bearer ${text}A`,
      `Bearer ${text.toUpperCase()}`,
      `Bearer ${text.replace(id, "1")}`,
      `Bearer ${withOtherSecret(text)}`,
      `Bearer ${withOtherSecret(text.replace(id, "1"))}`,
    ];
    for (const header of headers) expect(await refusalOf(header)).toEqual(invalid);
  });

  test("refuses a token with any character replaced", async () => {
    const { text } = await setup.addToken({ userId: setup.userId, by: "system" });
    for (const [index, character] of Array.from(text).entries()) {
      const changed = `${text.slice(0, index)}${character === "0" ? "1" : "0"}${text.slice(index + 1)}`;
      expect(await refusalOf(`Bearer ${changed}`)).toEqual(invalid);
    }
  });

  test("refuses a token from the instant at which it expires", async () => {
    const expirationMs = setup.log.clock.nowMs() + 1000;
    const { text } = await setup.addToken({ userId: setup.userId, by: "system", expirationMs });
    setup.log.clock.turn(999);
    expect(await authenticateWith(`Bearer ${text}`)).toMatchObject({ userId: setup.userId });
    setup.log.clock.turn(1);
    expect(await refusalOf(`Bearer ${text}`)).toEqual(invalid);
  });

  test("refuses a token that was removed, and one that was made with it", async () => {
    const token = await setup.addToken({ userId: setup.userId, by: "system" });
    const child = await setup.addToken({ userId: setup.userId, by: setup.userId, with: token.id });
    const { home, userId } = setup;
    for (const { text } of [token, child])
      expect(await authenticateWith(`Bearer ${text}`)).toMatchObject({ userId });
    await setup.log.append([removeToken({ tokenId: token.id, userId, organizationId: home })]);
    for (const { text } of [token, child]) expect(await refusalOf(`Bearer ${text}`)).toEqual(invalid);
  });

  test.each([
    ["user is locked", "UPDATE stored_users SET state = 'LOCKED'"],
    ["user is inactive", "UPDATE stored_users SET state = 'INACTIVE'"],
    ["organization is inactive", "UPDATE stored_organizations SET state = 'INACTIVE'"],
    ["secret is gone", "DELETE FROM secrets"],
  ])("refuses a token whose %s", async (_what, sql) => {
    const { text } = await setup.addToken({ userId: setup.userId, by: "system" });
    expect(await authenticateWith(`Bearer ${text}`)).toMatchObject({ userId: setup.userId });
    await setup.log.run(sql);
    expect(await refusalOf(`Bearer ${text}`)).toEqual(invalid);
  });
});
