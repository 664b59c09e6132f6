import { describe, expect, test } from "@jest/globals";
import {
  findTimeStep,
  otpauthUri,
  timeCode,
  toBase32,
  toTimeStep,
  totpSecretBytes,
} from "../../../../src/identity/factors/totp/time-code.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import { renderQrCode } from "../../../../src/sites/login/forms/qr-code.ts";
import { fromBase32 } from "../../../support/totp.ts";

const secret = new Uint8Array(Buffer.from("12345678901234567890"));

describe("the code of a time step", () => {
  // RFC 6238 Appendix B, SHA-1: the last 6 of the 8 digits there.
  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("at %d s is that of RFC 6238", (seconds, code) => {
    expect(timeCode(secret, toTimeStep(seconds * 1000))).toBe(code);
  });

  // RFC 4226 Appendix D.
  test("of the first ten counters is that of RFC 4226", () => {
    const codes = Array.from({ length: 10 }, (_, counter) => timeCode(secret, counter));
    expect(codes.join(" ")).toBe("755224 287082 359152 969429 338314 254676 287922 162583 399871 520489");
  });
});

describe("a typed code", () => {
  const nowMs = 1_234_567_890_000;
  const now = toTimeStep(nowMs);
  const find = (typed: string, used: readonly number[] = []) =>
    findTimeStep(secret, new Secret(typed), { nowMs, isUsed: (step) => used.includes(step) });

  test("is good for this step, the one before and the one after", () => {
    const steps = [now - 2, now - 1, now, now + 1, now + 2];
    const found = steps.map((step) => find(timeCode(secret, step)));
    expect(found).toEqual([undefined, now - 1, now, now + 1, undefined]);
  });

  test("is not good for a step that was used, while others are", () => {
    expect(find(timeCode(secret, now), [now])).toBeUndefined();
    expect(find(timeCode(secret, now - 1), [now])).toBe(now - 1);
  });

  test("may have spaces and hyphens in it and digits of any script, and nothing else", () => {
    const code = timeCode(secret, now);
    const inArabic = code.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
    for (const typed of [
      ` ${code.slice(0, 3)} ${code.slice(3)}\t`,
      `${code.slice(0, 3)}-${code.slice(3)}`,
      inArabic,
    ])
      expect(find(typed)).toBe(now);
    const wrong = ["", code.slice(1), `${code}0`, `${code}\0`, `.${code}`, "x".repeat(10_000)];
    expect(wrong.map((typed) => find(typed))).toEqual(wrong.map(() => undefined));
  });
});

// RFC 4648 §10, without padding.
test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("%j is %j in base32", (text, base32) => {
  expect(toBase32(Buffer.from(text))).toBe(base32);
  expect(Buffer.from(fromBase32(base32)).toString()).toBe(text);
});

test("the URI of the longest username fits into a QR code, and names its beginning", async () => {
  for (const letter of ["a", "\u{1F600}"]) {
    const uri = otpauthUri({ service: "Gatehouse", username: letter.repeat(200), secret });
    expect(decodeURIComponent(new URL(uri).pathname.slice(1))).toBe(`Gatehouse:${letter.repeat(60)}`);
    expect(await renderQrCode(uri, "QR code")).toBeDefined();
  }
});

test("the URI names the service and the user, whatever is in their names", () => {
  const uri = new URL(otpauthUri({ service: "Acme & Sons", username: "ada:b@x?c=d/é", secret }));
  expect([uri.protocol, uri.host]).toEqual(["otpauth:", "totp"]);
  expect(uri.pathname.slice(1).split(":").map(decodeURIComponent)).toEqual(["Acme & Sons", "ada:b@x?c=d/é"]);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
    issuer: "Acme & Sons",
  });
  expect(secret).toHaveLength(totpSecretBytes);
});
