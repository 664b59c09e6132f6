import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose";
import { signCompact } from "../../../src/kernel/base/signature.ts";
import { type InstanceId, toId } from "../../../src/kernel/base/ids.ts";
import {
  createSigningKeyCommands,
  type SigningKeyCommands,
} from "../../../src/identity/signing-keys/commands.ts";
import { createOwnTokens, type OwnTokens } from "../../../src/identity/signing-keys/jwt.ts";
import { type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";

const issuer = "https://id.example.com";
const claims = { iss: issuer, sub: "1" };

let fixture: FeatureFixture;
let keys: SigningKeyCommands;
let tokens: OwnTokens;
beforeEach(async () => {
  fixture = await openFeatureFixture();
  keys = createSigningKeyCommands(fixture.context, toId<InstanceId>("1"));
  tokens = createOwnTokens(keys);
});
afterEach(() => fixture.close());

const verify = (token: string, typ = "at+jwt") => tokens.verify(token, { typ, issuer });

describe("our own tokens", () => {
  test.each([
    ["RS256", "RS256"],
    ["ES256", "ES256"],
    ["EDDSA", "EdDSA"],
  ] as const)("are signed with %s, and recognised", async (algorithm, alg) => {
    const token = await tokens.sign(claims, { typ: "at+jwt", algorithm });
    expect(decodeProtectedHeader(token)).toMatchObject({ alg, typ: "at+jwt" });
    expect(decodeJwt(token)).toEqual(claims);
    expect(await verify(token)).toEqual(claims);
  });

  test("are not recognised as what they are not (RFC 8725 §3.11)", async () => {
    const idToken = await tokens.sign(claims, { typ: "JWT", algorithm: "ES256" });
    expect(await verify(idToken)).toBeUndefined();
    expect(await verify(idToken, "JWT")).toEqual(claims);
  });

  test("are those of this issuer only", async () => {
    const other = { ...claims, iss: "https://other.example.com" };
    expect(await verify(await tokens.sign(other, { typ: "at+jwt", algorithm: "ES256" }))).toBeUndefined();
  });

  test("are not what others make of them (RFC 8725 §2.1)", async () => {
    const token = await tokens.sign(claims, { typ: "at+jwt", algorithm: "RS256" });
    const [header = "", payload = "", signature = ""] = token.split(".");
    const { kid } = decodeProtectedHeader(token);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const hmac = `${encode({ alg: "HS256", typ: "at+jwt", kid })}.${payload}`;
    const publicKey = JSON.stringify((await keys.listPublished()).find(({ id }) => id === kid)?.publicKey);
    const { privateKey } = await keys.getSigner("ES256");
    const crossed = new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: String(kid) });
    const forged = [
      `${header}.${encode({ ...claims, sub: "2" })}.${signature}`,
      `${encode({ alg: "none", typ: "at+jwt", kid })}.${payload}.`,
      `${hmac}.${createHmac("sha256", publicKey).update(hmac).digest("base64url")}`,
      await crossed.sign(privateKey),
      `${encode({ alg: "RS256", typ: "at+jwt" })}.${payload}.${signature}`,
      `${header}.${payload}.!`,
      "eyJx.a.b",
      "a.b.c",
      "",
    ];
    for (const each of forged) expect(await verify(each)).toBeUndefined();
  });

  test("are not what names another algorithm than that of its key", async () => {
    const { id, privateKey } = await keys.getSigner("RS256");
    const signed = (alg: string) =>
      signCompact(claims, { algorithm: "RS256", header: { alg, typ: "at+jwt", kid: id }, privateKey });
    expect(await verify(await signed("RS256"))).toEqual(claims);
    for (const alg of ["PS256", "none"]) expect(await verify(await signed(alg))).toBeUndefined();
  });
});
