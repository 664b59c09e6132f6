import { verify } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { decodeMessage } from "../../../../src/sites/saml/bindings/decode-message.ts";
import { readRedirectQuery } from "../../../../src/sites/saml/bindings/redirect-query.ts";
import { toRedirectUrl } from "../../../../src/sites/saml/bindings/redirect-url.ts";
import { verifyQuery } from "../../../../src/sites/saml/signatures/verify-query.ts";
import { makeRsaKeys } from "../support/keys.ts";

const { privateKey, publicKey } = makeRsaKeys();
const signer = { privateKey, certificate: new Uint8Array() };
const xml = "<a>é</a>";

const write = (location: string, relayState?: string) =>
  toRedirectUrl(location, { kind: "SAMLResponse", xml, relayState }, signer);

describe("a message by HTTP-Redirect", () => {
  test("is signed over what stands before the signature, as a browser sends it", async () => {
    const url = await write("https://sp.example/slo", "a b'(%c3%A9)+%26=%FF\"<>#\x7f\n");
    expect(new URL(url).href).toBe(url); // browsers encode the apostrophe
    const [, octets = "", signature = ""] = /\?(.*)&Signature=(.*)$/.exec(url) ?? [];
    expect(octets).toMatch(
      /^SAMLResponse=[^&]+&RelayState=a%20b%27\(%c3%A9\)\+%26=%FF%22%3C%3E%23%7F%0A&SigAlg=[^&]+$/,
    );
    const bytes = Buffer.from(decodeURIComponent(signature), "base64");
    expect(verify("sha256", Buffer.from(octets), publicKey, bytes)).toBe(true);
    const message = new URL(url).searchParams.get("SAMLResponse") ?? "";
    expect(inflateRawSync(Buffer.from(message, "base64")).toString()).toBe(xml);
  });

  test.each([undefined, "", "%c3%A9+%FF%00%26"])(
    "is what we read, with RelayState %j",
    async (relayState) => {
      const query = readRedirectQuery(
        new URL(await write("https://sp.example/", relayState)).search.slice(1),
      );
      expect(await verifyQuery(query, [publicKey])).toEqual({ kind: "good" });
      expect(query.relayState).toBe(relayState);
      expect(decodeMessage(query).root.text).toBe("é");
    },
  );

  test.each([
    ["https://sp.example/slo", "https://sp.example/slo?SAMLResponse="],
    ["https://sp.example/slo?", "https://sp.example/slo?SAMLResponse="],
    ["https://sp.example/slo?a=1&b=%2f", "https://sp.example/slo?a=1&b=%2f&SAMLResponse="],
    ["https://sp.example/slo?a=1&", "https://sp.example/slo?a=1&SAMLResponse="],
    ["https://sp.example/é?à", "https://sp.example/%C3%A9?%C3%A0&SAMLResponse="],
  ])("keeps the query of %s", async (location, begin) => {
    expect((await write(location)).slice(0, begin.length)).toBe(begin);
  });
});
