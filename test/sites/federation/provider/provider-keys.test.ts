import { generateKeyPairSync } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { exportJWK, SignJWT } from "jose";
import type { ClientAlgorithm } from "../../../../src/kernel/base/jws.ts";
import {
  createProviderKeys,
  type ProviderKeys,
} from "../../../../src/sites/federation/provider/provider-keys.ts";
import { readSignedClaims } from "../../../../src/sites/federation/provider/signed-token.ts";
import { keyPairs } from "../../oidc/support/machine.ts";
import { createTestClock, type TestClock } from "../../../support/clock.ts";
import { createRecordingFetch, type RecordingFetch, toAnswer } from "../support/recording-fetch.ts";

const source = { providerId: "1", url: "https://idp.example/keys" };
const rsa = await exportJWK(keyPairs.RS256.publicKey);
const curve = await exportJWK(keyPairs.ES256.publicKey);

let clock: TestClock;
let fetcher: RecordingFetch;
let keys: ProviderKeys;
beforeEach(() => {
  clock = createTestClock();
  fetcher = createRecordingFetch();
  keys = createProviderKeys({ clock, fetcher });
});

const find = (kid: string | undefined, algorithm: ClientAlgorithm = "RS256") =>
  keys.find(source, { kid, algorithm });
const count = async (...asked: Parameters<typeof find>) => (await find(...asked)).length;

describe("the keys of a provider", () => {
  test("are those of the name, of any without a name, and of the algorithm", async () => {
    const named = { ...rsa, kid: "a", alg: "RS256" };
    fetcher.answer({ keys: [named, { ...rsa, kid: "b" }, { ...curve, kid: "a" }, rsa] });
    expect(await count("a")).toBe(2); // the named one, and the one without a name
    expect(await count("a", "PS256")).toBe(1);
    expect(await count("b")).toBe(2);
    expect(await count("a", "ES256")).toBe(1);
    expect(await count(undefined)).toBe(3);
    expect(await count("a", "ES384")).toBe(0);
  });

  test("may be a single key, and have either name of Ed25519", async () => {
    fetcher.answer({ ...(await exportJWK(keyPairs.EdDSA.publicKey)), alg: "Ed25519" });
    expect([await count("x", "EdDSA"), await count(undefined, "Ed25519")]).toEqual([1, 1]);
  });

  const secret = keyPairs.RS256.privateKey.export({ format: "jwk" });
  test.each([
    ["for encryption", { ...rsa, use: "enc" }],
    ["for other operations", { ...rsa, key_ops: ["encrypt"] }],
    ["that are private", secret],
    ["that are shared secrets", { kty: "oct", k: "c2VjcmV0" }],
    ["that are none", "text"],
    ["that are too small", { kty: "RSA", n: "AQAB", e: "AQAB" }],
  ])("leave out those %s", async (_name, key) => {
    fetcher.answer({ keys: [key, { ...rsa, kid: "good" }] });
    expect(await count(undefined)).toBe(1);
  });

  test("may have members that are null", async () => {
    fetcher.answer({
      keys: [{ ...rsa, kid: null, use: null, key_ops: null, alg: null, d: null, x5c: null }],
    });
    expect(await count("a")).toBe(1);
  });

  test("are looked at no further than the fiftieth", async () => {
    fetcher.answer({ keys: [...Array.from({ length: 50 }, () => ({})), rsa] });
    expect(await count(undefined)).toBe(0);
  });
});

describe("a provider is asked for its keys", () => {
  test("within 5 seconds and 256 KiB", async () => {
    await find("a");
    expect(fetcher.asked[0]).toEqual({
      url: source.url,
      options: { timeoutMs: 5000, maxBytes: 262_144, maxRedirects: 3 },
    });
  });

  test("once an hour, and by any number at the same time once", async () => {
    fetcher.answer({ keys: [{ ...rsa, kid: "a" }] });
    await Promise.all(Array.from({ length: 20 }, () => find("a")));
    clock.turn(3_599_999);
    await find("a");
    expect(fetcher.asked).toHaveLength(1);
    clock.turn(1);
    await find("a");
    expect(fetcher.asked).toHaveLength(2);
  });

  test("and nobody waits for it while they are known", async () => {
    fetcher.answer({ keys: [{ ...rsa, kid: "a" }] });
    let waits = 0;
    const wait = <T>(work: () => Promise<T>): Promise<T> => {
      waits += 1;
      return work();
    };
    const ask = (kid: string) => keys.find(source, { kid, algorithm: "RS256" }, wait);
    await ask("a");
    expect(waits).toBe(1);
    await Promise.all([ask("a"), ask("a"), ask("unknown")]);
    expect(waits).toBe(1);
    clock.turn(60_000);
    await ask("unknown");
    expect(waits).toBe(2);
  });

  test("once a minute for names that it does not know", async () => {
    fetcher.answer({ keys: [{ ...rsa, kid: "a" }] });
    for (let index = 0; index < 50; index++) expect(await count(`unknown ${index}`)).toBe(0);
    expect(fetcher.asked).toHaveLength(1);
    clock.turn(60_000);
    fetcher.answer({ keys: [{ ...rsa, kid: "new" }] });
    expect(await count("new")).toBe(1);
    expect(await count("a")).toBe(0);
    expect(fetcher.asked).toHaveLength(2);
  });

  test("once in 5 seconds while it does not answer, and once a minute if it knew them before", async () => {
    fetcher.answer({ kind: "unreachable" });
    await expect(find("a")).rejects.toThrow("unavailable: keys unreachable");
    await expect(find("a")).rejects.toThrow("unavailable: keys unreachable");
    expect(fetcher.asked).toHaveLength(1);
    clock.turn(5000);
    fetcher.answer({ keys: [{ ...rsa, kid: "a" }] });
    expect(await count("a")).toBe(1);
    clock.turn(60_000);
    fetcher.answer({ kind: "unreachable" });
    await expect(find("b")).rejects.toThrow("unavailable");
    clock.turn(59_999);
    await expect(find("b")).rejects.toThrow("unavailable");
    expect(await count("a")).toBe(1);
    expect(fetcher.asked).toHaveLength(3);
  });

  test("for each provider and URL of its own", async () => {
    fetcher.answer({ keys: [rsa] });
    await find("a");
    await keys.find({ ...source, providerId: "2" }, { kid: "a", algorithm: "RS256" });
    await keys.find({ ...source, url: "https://idp.example/others" }, { kid: "a", algorithm: "RS256" });
    expect(fetcher.asked).toHaveLength(3);
  });

  test.each([
    ["refused", toAnswer({}, 404)],
    ["refused", { ...toAnswer({}), bytes: undefined }],
    ["unreadable", toAnswer({ keys: "none" })],
    ["forbidden", { kind: "forbidden" } as const],
  ])("and fails: %s", async (detail, answer) => {
    fetcher.answer(answer);
    await expect(find("a")).rejects.toMatchObject({ kind: "unavailable", detail: `keys ${detail}` });
  });
});

describe("the claims of a signed token", () => {
  const sign = (header: { alg: string; kid?: string }, key = keyPairs.RS256.privateKey) =>
    new SignJWT({ sub: "ada" }).setProtectedHeader(header).sign(key);

  beforeEach(() =>
    fetcher.answer({
      keys: [
        { ...rsa, kid: "a" },
        { ...curve, kid: "b" },
      ],
    }),
  );

  test("are read, within a minute, of a token that a new key without a name has signed", async () => {
    const old = rsa;
    const next = generateKeyPairSync("rsa", { modulusLength: 2048 });
    fetcher.answer(old);
    const header = { alg: "RS256", kid: "new" };
    const read = async () => await readSignedClaims(keys, source, await sign(header, next.privateKey));
    expect(await read()).toBeUndefined();
    fetcher.answer(await exportJWK(next.publicKey));
    for (let index = 0; index < 20; index++) expect(await read()).toBeUndefined();
    expect(fetcher.asked).toHaveLength(1);
    clock.turn(60_000);
    expect(await read()).toEqual({ sub: "ada" });
    expect(fetcher.asked).toHaveLength(2);
  });

  test.each([
    ["under the name of the old one", { kid: "a" }],
    ["without a name", {}],
  ])("are read at once of a token that a new key has signed %s", async (_name, { kid }: { kid?: string }) => {
    const header = { alg: "RS256", ...(kid === undefined ? {} : { kid }) };
    const next = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const read = async (key = next.privateKey) =>
      await readSignedClaims(keys, source, await sign(header, key));
    expect(await read(keyPairs.RS256.privateKey)).toEqual({ sub: "ada" });
    fetcher.answer({
      keys: [{ ...(await exportJWK(next.publicKey)), ...(kid === undefined ? {} : { kid }) }],
    });
    expect(await read()).toEqual({ sub: "ada" });
    expect(await read()).toEqual({ sub: "ada" });
    expect(fetcher.asked).toHaveLength(2);
  });

  test("are looked for anew once a minute, however many tokens nobody has signed", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const token = await sign({ alg: "RS256", kid: "a" }, privateKey);
    const good = await sign({ alg: "RS256", kid: "a" });
    expect(await readSignedClaims(keys, source, token)).toBeUndefined();
    expect(fetcher.asked).toHaveLength(1); // they were read for this very token
    for (const expected of [2, 3]) {
      for (let index = 0; index < 20; index++)
        expect(await readSignedClaims(keys, source, token)).toBeUndefined();
      expect(fetcher.asked).toHaveLength(expected);
      clock.turn(60_000);
    }
    fetcher.answer({ kind: "unreachable" });
    await expect(readSignedClaims(keys, source, token)).rejects.toThrow("unavailable: keys unreachable");
    for (let index = 0; index < 20; index++) {
      expect(await readSignedClaims(keys, source, token)).toBeUndefined();
      expect(await readSignedClaims(keys, source, good)).toEqual({ sub: "ada" });
    }
    expect(fetcher.asked).toHaveLength(4);
  });

  test.each([
    ["by its name", { alg: "RS256", kid: "a" }],
    ["without a name", { alg: "PS512" }],
  ])("are read if a key of the provider has signed it: found %s", async (_name, header) => {
    expect(await readSignedClaims(keys, source, await sign(header))).toEqual({ sub: "ada" });
  });

  test("are none of a token with another name, another key, or a changed end", async () => {
    const good = await sign({ alg: "RS256", kid: "a" });
    const tokens = [
      await sign({ alg: "RS256", kid: "b" }),
      await sign({ alg: "ES384", kid: "a" }, keyPairs.ES384.privateKey),
      `${good.slice(0, -4)}AAAA`,
      `${good}.`,
      "",
    ];
    for (const token of tokens) expect(await readSignedClaims(keys, source, token)).toBeUndefined();
  });
});
