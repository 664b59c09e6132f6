import { describe, expect, test } from "@jest/globals";
import { toId, type TokenId } from "../../../../src/kernel/base/ids.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import {
  addToken,
  hashToken,
  limitExpiration,
  parseToken,
  requireFuture,
} from "../../../../src/identity/programs/tokens/token.ts";
import { reasonOf } from "../../../support/problems.ts";

const id = toId<TokenId>("123456789");
const input = { id, userId: "1", organizationId: "2" };
const zeros = { ...systemRandom, bytes: (count: number) => new Uint8Array(count) };

describe("a token", () => {
  // CRC-32 of "gatehouse_pat_123456789_AAA…" from python's binascii.crc32, in base62 0-9A-Za-z.
  const text = addToken({ ...input, random: zeros }).token.reveal();

  test("has the form of decision 10", () => {
    expect(text).toMatch(/^gatehouse_pat_123456789_A{43}[0-9A-Za-z]{6}$/);
    expect(text.slice(-6)).toBe("2LANo7");
  });

  test("names its id", () => {
    expect(parseToken(text)).toBe(id);
    expect(parseToken(addToken({ ...input, random: systemRandom }).token.reveal())).toBe(id);
  });

  test("is refused with any character changed, left out or added", () => {
    const changed = text
      .split("")
      .flatMap((character, index) => [
        `${text.slice(0, index)}${character === "B" ? "C" : "B"}${text.slice(index + 1)}`,
        `${text.slice(0, index)}${text.slice(index + 1)}`,
        `${text.slice(0, index)}x${text.slice(index)}`,
      ]);
    expect(changed.filter((candidate) => parseToken(candidate) !== undefined)).toEqual([]);
  });

  test("is not shown by the event, whose secret is the hash of the whole", () => {
    const made = addToken({ ...input, random: systemRandom });
    expect(JSON.stringify(made)).not.toContain(made.token.reveal().slice(24, 60));
    expect(made.secretId).toBe("token:123456789");
    expect(made.hash).toEqual(hashToken(made.token.reveal()));
  });

  test("carries its expiration and the token it was made with", () => {
    const made = addToken({
      ...input,
      random: zeros,
      expirationMs: 1_800_000_000_123,
      madeWithTokenId: toId("7"),
    });
    expect(made.event).toEqual({
      type: "user.token.added",
      aggregateId: "1",
      resourceOwner: "2",
      payload: {
        token_id: "123456789",
        expiration_date: "2027-01-15T08:00:00.123Z",
        made_with_token_id: "7",
      },
    });
  });

  test("without them says nothing of them", () => {
    expect(addToken({ ...input, random: zeros }).event.payload).toEqual({ token_id: "123456789" });
  });
});

describe("an expiration", () => {
  test.each([
    [undefined, "no problem"],
    [1001, "no problem"],
    [1000, "FIELD_INVALID"],
    [-1, "FIELD_INVALID"],
  ])("at %s is judged at 1000: %s", (expirationMs, reason) => {
    expect(reasonOf(() => requireFuture(expirationMs, 1000))).toBe(reason);
  });

  test.each([
    [undefined, undefined, undefined],
    [undefined, 500, 500],
    [400, 500, 400],
    [500, 500, 500],
    [400, undefined, 400],
  ])("asked as %s with a token that expires at %s is %s", (asked, own, expected) => {
    expect(limitExpiration(asked, own)).toBe(expected);
  });

  test("later than that of the token of the call is refused", () => {
    expect(reasonOf(() => limitExpiration(501, 500))).toBe("FIELD_INVALID");
  });
});
