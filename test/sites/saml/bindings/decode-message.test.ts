import { constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { decodeMessage } from "../../../../src/sites/saml/bindings/decode-message.ts";
import { SamlFault } from "../../../../src/sites/saml/bindings/saml-fault.ts";
import { forge, honestMessage } from "../support/forged-message.ts";
import { makeRsaKeys } from "../support/keys.ts";

type Binding = "redirect" | "post";
const text = honestMessage.replace("{signature}", "");

/** Decodes bytes in base64. Returns the name of the root, or the reason of the fault. */
function decode(binding: Binding, bytes: Uint8Array | string): string {
  return decodeText(binding, Buffer.from(bytes as string).toString("base64")); // both are taken
}

function decodeText(binding: Binding, message: string): string {
  try {
    return decodeMessage({ binding, kind: "SAMLRequest", message, relayState: undefined }).root.localName;
  } catch (error) {
    if (error instanceof SamlFault) return error.reason;
    throw error;
  }
}

const encodings: readonly [Binding, string, (text: string | Buffer) => Buffer][] = [
  ["redirect", "by DEFLATE", (plain) => deflateRawSync(plain)],
  ["post", "by DEFLATE", (plain) => deflateRawSync(plain)],
  ["post", "as it is", (plain) => Buffer.from(plain as string)],
];

describe.each(encodings)("a message by %s %s", (binding, _how, encode) => {
  test("is read, also with a byte order mark, with white space in its base64", () => {
    expect(decode(binding, encode(text))).toBe("AuthnRequest");
    expect(decode(binding, encode(`\ufeff<?xml version="1.0" encoding="utf-8"?>${text}`))).toBe(
      "AuthnRequest",
    );
    const base64 = encode(text).toString("base64");
    expect(decodeText(binding, base64.replaceAll(/.{76}/g, "$&\r\n"))).toBe("AuthnRequest");
  });

  test("may have 64 KiB, and no more", () => {
    const sizedTo = (bytes: number) => text.replace("/></", `/>${" ".repeat(bytes - text.length)}</`);
    expect(decode(binding, encode(sizedTo(65_536)))).toBe("AuthnRequest");
    expect(decode(binding, encode(sizedTo(65_537)))).toBe("size");
    expect(decode(binding, encode(sizedTo(90_000)))).toBe("size");
  });

  test.each([
    ["a DOCTYPE", `<!DOCTYPE a [<!ENTITY b "c">]>${text}`],
    ["a DOCTYPE behind a comment", `<!-- --><!DOCTYPE a>${text}`],
    ["text behind the root", `${text}x`],
    ["a NUL", text.replace("</saml:Issuer>", "\0</saml:Issuer>")],
    ["an entity", text.replace("https://sp", "&sp;")],
    ["two roots", text + text],
    ["an ID twice", text.replace("<samlp:NameIDPolicy", '<samlp:NameIDPolicy Id="_q"')],
    ["51 levels", "<a>".repeat(51) + "</a>".repeat(51)],
    ["1,001 elements", `<a>${"<b/>".repeat(1000)}</a>`],
    ["a name of another encoding", `<?xml version="1.0" encoding="ISO-8859-1"?>${text}`],
    ["no end", text.slice(0, -1)],
    ["no UTF-8", Buffer.from(text.replace("sp.example", "é"), "latin1")],
    ["UTF-16", Buffer.from(`<\0${text}`, "utf16le")],
    ["overlong UTF-8", Buffer.concat([Buffer.from("<a>"), Buffer.from([0xc0, 0xbc]), Buffer.from("</a>")])],
  ])("with %s is refused as XML", (_name, document) => {
    expect(decode(binding, encode(document))).toBe("xml");
  });
});

describe("what is no message is refused", () => {
  test.each(["redirect", "post"] as const)("by %s", (binding) => {
    const deflated = deflateRawSync(text);
    expect(decodeText(binding, "")).toBe("encoding");
    expect(decodeText(binding, "A".repeat(1001))).toBe("encoding");
    expect(decodeText(binding, "%%%")).toBe("encoding");
    expect(decodeText(binding, deflated.toString("base64url"))).toBe("encoding");
    expect(decodeText(binding, `${deflated.toString("base64")}AAAA`)).toBe("encoding");
    expect(decode(binding, Buffer.concat([deflated, Buffer.from("\0")]))).toBe("encoding");
    expect(decode(binding, Buffer.concat([deflated, Buffer.from("<a/>")]))).toBe("encoding");
    expect(decode(binding, deflated.subarray(0, -1))).toBe("encoding");
    expect(decode(binding, deflateRawSync(deflateRawSync(text)))).toBe("xml");
    expect(decode(binding, deflateSync(text))).toBe("encoding");
    expect(decode(binding, gzipSync(text))).toBe("encoding");
    expect(decode(binding, deflateRawSync(""))).toBe("xml");
    expect(decode(binding, Buffer.from(text, "utf16le").subarray(1))).toBe("encoding");
  });

  test("by redirect without DEFLATE", () => {
    expect(decode("redirect", text)).toBe("encoding");
  });

  test.each(["redirect", "post"] as const)("100 MB by %s, which are not inflated", (binding) => {
    const megabyte = Buffer.alloc(1024 * 1024, " ");
    const piece = deflateRawSync(megabyte, { finishFlush: constants.Z_FULL_FLUSH });
    const bomb = Buffer.concat([...Array.from({ length: 100 }, () => piece), deflateRawSync("")]);
    expect(bomb.length).toBeLessThan(200_000);
    const before = process.memoryUsage().arrayBuffers;
    expect(decode(binding, bomb)).toBe("size");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * 1024 * 1024);
  });
});

test("a signature inside is refused by redirect, wherever it stands, and left to the reader by post", () => {
  const signed = forge({ key: makeRsaKeys().privateKey });
  expect(decode("redirect", deflateRawSync(signed))).toBe("signature");
  const deeper = text.replace(
    "<samlp:NameIDPolicy/>",
    (policy) =>
      `<samlp:Extensions>${policy}<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/></samlp:Extensions>`,
  );
  expect(decode("redirect", deflateRawSync(deeper))).toBe("signature");
  expect(decode("post", signed)).toBe("AuthnRequest");
});
