import { createHmac, type KeyObject, sign } from "node:crypto";
import { SAML, ValidateInResponseTo } from "@node-saml/node-saml";
import { describe, expect, test } from "@jest/globals";
import { readRedirectQuery } from "../../../../src/sites/saml/bindings/redirect-query.ts";
import { verifyQuery } from "../../../../src/sites/saml/signatures/verify-query.ts";
import { ds, more } from "../support/forged-message.ts";
import { makeEcKeys, makeRsaKeys } from "../support/keys.ts";

const sender = makeRsaKeys();
const attacker = makeRsaKeys();
const curve = makeEcKeys();

/** Signs the octets of a query as they stand. */
function signQuery(
  octets: string,
  {
    key = sender.privateKey,
    algorithm = `${more}rsa-sha256`,
    make = signOctets,
    encode = encodeURIComponent,
  } = {},
): string {
  const text = `${octets}&SigAlg=${encode(algorithm)}`;
  return `${text}&Signature=${encode(make(Buffer.from(text), key).toString("base64"))}`;
}

const signOctets = (octets: Buffer, key: KeyObject) => sign("sha256", octets, key);
const verify = (query: string, keys = [sender.publicKey]) => verifyQuery(readRedirectQuery(query), keys);
const message = "SAMLRequest=fZ%2BA%3D";

describe("a signature is good over the octets", () => {
  test.each([
    ["with RelayState", `${message}&RelayState=a%20b`],
    ["without RelayState", message],
    ["with an empty RelayState", `${message}&RelayState=`],
    ["encoded as forms are", `${message}&RelayState=a+b%7e`],
    ["with a RelayState that is no text", `${message}&RelayState=%ff%00`],
    ["encoded in lower case", "SAMLRequest=fZ%2bA%3d&RelayState=%c3%a9"],
    ["encoded less than could be", "SAMLRequest=fZ%2BA=&RelayState='()!~*"],
    ["of a response", "SAMLResponse=fZ%2BA%3D&RelayState=1"],
  ])("%s", async (_name, octets) => {
    expect(await verify(signQuery(octets))).toEqual({ kind: "good" });
  });

  test("with other parameters, and in another order than they were sent in", async () => {
    const query = signQuery(`${message}&RelayState=1`);
    const moved = `x=1&${query.split("&").toReversed().join("&")}&SAMLEncoding=urn%3Aoasis%3Anames%3Atc%3ASAML%3A2.0%3Abindings%3AURL-Encoding%3ADEFLATE`;
    expect(await verify(moved)).toEqual({ kind: "good" });
  });

  test("over the values encoded by encodeURIComponent, whatever was sent", async () => {
    const query = signQuery(`${message}&RelayState=a%20b'(c)`);
    expect(await verify(query.replace("a%20b'(c)", "a+b%27%28c%29"))).toEqual({ kind: "good" });
    const asForm = signQuery(`${message}&RelayState=a+b`);
    expect(await verify(asForm.replace("a+b", "a%20b"))).toEqual({ kind: "bad", reason: "value" });
  });

  test.each(["plain", "a b", "'()!~*", "é😀&=%+#", ""])(
    "that node-saml signs with RelayState %j",
    async (relayState) => {
      const provider = new SAML({
        issuer: "https://sp.example",
        callbackUrl: "https://sp.example/acs",
        entryPoint: "https://idp.example/saml/v2/SSO",
        idpCert: "MIIB",
        privateKey: sender.privateKey.export({ type: "pkcs8", format: "pem" }),
        signatureAlgorithm: "sha256",
        validateInResponseTo: ValidateInResponseTo.never,
      });
      const url = await provider.getAuthorizeUrlAsync(relayState, undefined, {});
      expect(await verify(new URL(url).search.slice(1))).toEqual({ kind: "good" });
      expect(await verify(new URL(url).search.slice(1), [attacker.publicKey])).toEqual({
        kind: "bad",
        reason: "value",
      });
    },
  );
});

describe("a signature is refused", () => {
  const good = signQuery(`${message}&RelayState=1`);

  test.each([
    ["with another message", good.replace("fZ", "fY")],
    ["with another RelayState", good.replace("RelayState=1", "RelayState=2")],
    ["with a RelayState that was added", `${signQuery(message)}&RelayState=1`],
    ["with an empty RelayState that was added", `${signQuery(message)}&RelayState=`],
    ["with a RelayState that was added and is no text", `${signQuery(message)}&RelayState=%ff`],
    ["with a RelayState that was taken away", good.replace("&RelayState=1", "")],
    ["with the message as a response", good.replace("SAMLRequest", "SAMLResponse")],
    ["of somebody else", signQuery(message, { key: attacker.privateKey })],
    ["with another hash than it names", signQuery(message, { algorithm: `${more}rsa-sha512` })],
  ])("%s", async (_name, query) => {
    expect(await verify(good)).toEqual({ kind: "good" });
    expect(await verify(query)).toEqual({ kind: "bad", reason: "value" });
  });

  test.each([
    ["SHA-1", `${ds}rsa-sha1`, "rsa-sha1"],
    ["DSA", `${ds}dsa-sha1`, "dsa-sha1"],
    ["HMAC", `${more}hmac-sha256`, "hmac-sha256"],
    ["nothing", "", undefined],
    ["what nobody knows", "urn:<script>", undefined],
  ])("by %s, whatever the key", async (_name, uri, algorithm) => {
    const pem = sender.publicKey.export({ type: "spki", format: "pem" });
    const make = (octets: Buffer) => createHmac("sha256", pem).update(octets).digest();
    const finding = { kind: "bad", reason: "algorithm", ...(algorithm === undefined ? {} : { algorithm }) };
    expect(await verify(signQuery(message, { algorithm: uri, make }))).toEqual(finding);
  });

  test("by a key of another type", async () => {
    const [asEc, asRsa] = [
      signQuery(message, { algorithm: `${more}ecdsa-sha256` }),
      signQuery(message, { key: curve.privateKey }),
    ];
    expect(await verify(asEc)).toEqual({ kind: "bad", reason: "key" });
    expect(await verify(asRsa, [curve.publicKey])).toEqual({ kind: "bad", reason: "key" });
    expect(await verify(asRsa, [])).toEqual({ kind: "bad", reason: "key" });
  });

  test("that is no base64", async () => {
    for (const signature of ["", "A", "AA=A", "_-8%3D", "%00"]) {
      const query = `${good.slice(0, good.indexOf("&Signature="))}&Signature=${signature}`;
      expect(await verify(query)).toEqual({ kind: "bad", reason: signature === "" ? "value" : "shape" });
    }
  });
});

test("ECDSA signatures are r and s one after the other", async () => {
  const how = (dsaEncoding: "der" | "ieee-p1363") => ({
    key: curve.privateKey,
    algorithm: `${more}ecdsa-sha256`,
    make: (octets: Buffer, key: KeyObject) => sign("sha256", octets, { key, dsaEncoding }),
  });
  expect(await verify(signQuery(message, how("ieee-p1363")), [curve.publicKey])).toEqual({ kind: "good" });
  expect(await verify(signQuery(message, how("der")), [curve.publicKey])).toEqual({
    kind: "bad",
    reason: "value",
  });
});

test("there is none without Signature", async () => {
  expect(await verify(message)).toEqual({ kind: "absent" });
});
