import { describe, expect, test } from "@jest/globals";
import { createKeyring } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import {
  makeSetupLink,
  readSetupCode,
  setupLinkLifetimeMs,
} from "../../../src/identity/instance/setup-link.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const issuer = "https://id.example.com";
const prefix = `${issuer}/login/setup/`;
const old = { id: "k1", bytes: new Uint8Array(32).fill(1) };
const young = { id: "k2", bytes: new Uint8Array(32).fill(2) };
const keyring = createKeyring([old], systemRandom);
const make = (at = nowMs) => makeSetupLink({ issuer, keyring, random: systemRandom, nowMs: at }).reveal();
const code = () => make().slice(prefix.length);
const read = (text: string, at = nowMs, keys = keyring) => readSetupCode(text, { keyring: keys, nowMs: at });

describe("a link for the first administrator", () => {
  test("is good for 24 hours", () => {
    const link = make();
    expect(link).toMatch(/^https:\/\/id\.example\.com\/login\/setup\/[\w-]{72}$/);
    const text = link.slice(prefix.length);
    const expirationMs = nowMs + setupLinkLifetimeMs;
    expect(setupLinkLifetimeMs).toBe(86_400_000);
    expect(read(text)).toEqual({ hash: expect.stringMatching(/^[\w-]{43}$/), expirationMs });
    expect(read(text, expirationMs - 1)).toMatchObject({ expirationMs });
    expect(read(text, expirationMs)).toBeUndefined();
  });

  test("is another one each time, and names what is stored without telling it", () => {
    const [first, second] = [code(), code()];
    expect(read(first)?.hash).not.toBe(read(second)?.hash);
    expect(first).not.toContain(read(first)?.hash);
  });

  test("holds whichever of our keys it was made with", () => {
    const text = code();
    expect(read(text, nowMs, createKeyring([young, old], systemRandom))).toEqual(read(text));
    expect(read(text, nowMs, createKeyring([young], systemRandom))).toBeUndefined();
    const other = createKeyring([{ id: "k1", bytes: new Uint8Array(32).fill(9) }], systemRandom);
    expect(read(text, nowMs, other)).toBeUndefined();
  });

  test("is refused after any change, also of its expiry", () => {
    const text = code();
    const bytes = Buffer.from(text, "base64url");
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(read(changed.toString("base64url"))).toBeUndefined();
    }
    for (const wrong of [
      "",
      "x",
      text.slice(0, -1),
      `${text}A`,
      `${text}=`,
      ` ${text}`,
      text.replaceAll(/[-_]/g, "+"),
    ])
      expect([wrong, wrong === text ? undefined : read(wrong)]).toEqual([wrong, undefined]);
  });

  test("cannot be made with the key of another use", () => {
    const content = Buffer.from(code(), "base64url").subarray(0, 22);
    const mac = keyring.mac("page-token", content.toString("base64url")).value;
    expect(read(Buffer.concat([content, mac]).toString("base64url"))).toBeUndefined();
  });
});
