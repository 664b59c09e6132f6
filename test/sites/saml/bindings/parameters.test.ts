import { describe, expect, test } from "@jest/globals";
import { readPostBody } from "../../../../src/sites/saml/bindings/post-body.ts";
import { readRedirectQuery } from "../../../../src/sites/saml/bindings/redirect-query.ts";
import { SamlFault } from "../../../../src/sites/saml/bindings/saml-fault.ts";

/** Returns what is read, or the reason and the message of the fault. */
function judge<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof SamlFault) return `${error.reason}: ${error.message}`;
    throw error;
  }
}

const readQuery = (query: string) => judge(() => readRedirectQuery(query));
const readBody = (body: string | Buffer) => judge(() => readPostBody(new Uint8Array(Buffer.from(body))));
const bindings = [
  ["redirect", readQuery],
  ["post", readBody],
] as const;

describe("a query", () => {
  test("is read, and what is signed of it is kept as it was sent", () => {
    expect(
      readQuery("x=%zz&SAMLRequest=a%2bb=&SigAlg=urn%3ax&RelayState=%C3%A9+1%2F&Signature=c%3D&y"),
    ).toEqual({
      binding: "redirect",
      kind: "SAMLRequest",
      message: "a+b=",
      relayState: "%C3%A9+1%2F",
      algorithm: "urn:x",
      signature: "c=",
      raw: { message: "a%2bb=", relayState: "%C3%A9+1%2F", algorithm: "urn%3ax" },
      encodedAgain: { message: "a%2Bb%3D", relayState: "%C3%A9%201%2F", algorithm: "urn%3Ax" },
    });
  });

  test("may say its encoding, if that is DEFLATE", () => {
    const uri = "urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE";
    expect(readQuery(`SAMLResponse=a&SAMLEncoding=${uri}`)).toMatchObject({ kind: "SAMLResponse" });
    for (const other of [`${uri}x`, "", "urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:deflate"])
      expect(readQuery(`SAMLRequest=a&SAMLEncoding=${other}`)).toMatch(/^parameters: /);
  });

  test.each(["SigAlg", "Signature"])("with %s twice is refused", (name) => {
    expect(readQuery(`SAMLRequest=a&SigAlg=a&Signature=a&${name}=a`)).toBe(
      "parameters: a parameter is sent more than once",
    );
  });

  test.each(["SigAlg=a", "Signature=a"])("with %s alone is refused", (parameter) => {
    expect(readQuery(`SAMLRequest=a&${parameter}`)).toBe(
      "parameters: SigAlg and Signature must be sent together",
    );
  });
});

describe("a form", () => {
  test("is read", () => {
    expect(readBody("RelayState=%C3%A9+1&SAMLResponse=a%2Bb%0D%0A&submit=1")).toEqual({
      binding: "post",
      kind: "SAMLResponse",
      message: "a+b\r\n",
      relayState: "%C3%A9+1",
    });
    expect(readBody("SAMLRequest=a")).toMatchObject({ kind: "SAMLRequest", relayState: undefined });
  });

  test.each(["SigAlg=a", "Signature=a", "Signature=a&SigAlg=b"])("with %s is refused", (parameters) => {
    expect(readBody(`SAMLRequest=a&${parameters}`)).toBe(
      "parameters: a signature must stand inside of the message",
    );
  });

  test("of bytes that are not encoded is refused", () => {
    const body = Buffer.concat([Buffer.from("SAMLRequest=a&RelayState="), Buffer.from([0xe9])]);
    expect(readBody(body)).toMatch(/^parameters: /);
  });
});

describe.each(bindings)("by %s", (_binding, read) => {
  test.each(["SAMLRequest", "RelayState"])(
    "%s twice is refused, whatever the values and the names look like",
    (name) => {
      const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
      for (const second of [`${name}=a`, `${name}=b`, `${name}=`, name, `${encoded}=a`])
        expect(read(`SAMLRequest=a&RelayState=a&${second}`)).toBe(
          "parameters: a parameter is sent more than once",
        );
    },
  );

  test("a request together with a response is refused", () => {
    expect(read("SAMLRequest=a&SAMLResponse=a")).toBe("parameters: there are two messages");
    expect(read("SAMLResponse=&SAMLRequest=a")).toBe("parameters: there are two messages");
  });

  test.each(["", "&", "RelayState=a", "samlrequest=a", "SAMLArt=a", "=SAMLRequest"])(
    "%j without a message is refused",
    (text) => {
      expect(read(text)).toBe("parameters: there is no message");
    },
  );

  const wrong = "parameters: a parameter is not encoded as a form in UTF-8";

  test.each(["%", "%4", "%zz", "%4%41", "é"])("a value with %j is refused", (text) => {
    for (const name of ["RelayState", "SAMLEncoding"])
      expect(read(`SAMLRequest=a&${name}=a${text}`)).toBe(wrong);
    expect(read(`SAMLRequest=a${text}`)).toMatch(/^parameters: /);
  });

  test.each(["%ff", "%c3", "%ed%a0%80"])(
    "a value with %j, which is no UTF-8, is one of a RelayState",
    (text) => {
      expect(read(`SAMLRequest=a&RelayState=a${text}`)).toMatchObject({ relayState: `a${text}` });
      expect(read(`SAMLRequest=a&SAMLEncoding=a${text}`)).toBe(wrong);
      expect(read(`SAMLRequest=a${text}`)).toBe(wrong);
    },
  );

  test("a RelayState has at most 4,096 bytes", () => {
    const state = (count: number) => read(`SAMLRequest=a&RelayState=${"%C3%A9".repeat(count)}`);
    expect(state(2048)).toMatchObject({ relayState: "%C3%A9".repeat(2048) });
    expect(state(2049)).toBe("relay-state: the RelayState has more than 4096 bytes");
    for (const byte of ["a", "+", "%ff"])
      expect(read(`SAMLRequest=a&RelayState=${byte.repeat(4097)}`)).toMatch(/^relay-state: /);
  });

  test("a RelayState is opaque", () => {
    for (const state of [encodeURIComponent("<script>\"'&\0\r\n=\u{1F600}"), "<a=b>+%2f%2F%20~"])
      expect(read(`SAMLRequest=a&RelayState=${state}`)).toMatchObject({ relayState: state });
    expect(read("SAMLRequest=a&RelayState=")).toMatchObject({ relayState: "" });
  });

  test("other parameters are ignored, also twice", () => {
    expect(read("a=1&a=2&%zz=é&__proto__=1&SAMLRequest=a&constructor=b")).toMatchObject({ message: "a" });
  });
});
