// What attackers try, over the wire: one or a few of each kind. Each is a page: nothing is sent to a service provider, and the log
// has one line. The browser of the attacks has a session, so that what got through would be answered. All that can be wrong with a
// signature, a document, an encoding, a parameter or a place is tried beside the reader of it: in signatures/, bindings/, messages/.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { startService, type TestService } from "../../support/service.ts";
import { insertSignature, names, signatureOf, type SignatureParts, signMessage } from "./attacks/forge.ts";
import {
  type AttackGround,
  type Attempt,
  byPost,
  bySignedPost,
  bySignedQuery,
  id,
  layAttackGround,
} from "./attacks/ground.ts";
import { createSamlPlace } from "./node-saml/saml-place.ts";

let service: TestService;
let ground: AttackGround;
beforeAll(async () => {
  service = await startService();
  ground = await layAttackGround(await createSamlPlace(service));
});
afterAll(() => service.stop());

/** Sends it with the cookies of the browser, also where browsers would keep them back, and follows nothing. */
async function send({ path, query, form }: Attempt) {
  const { host, origin } = new URL(ground.issuer);
  const cookie = [...ground.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { accept: "text/html", host, cookie, "sec-fetch-site": "cross-site" };
  if (form === undefined)
    return await service.http.send({ method: "GET", path: `${path}?${query ?? ""}`, headers });
  const type = { "content-type": "application/x-www-form-urlencoded", origin: `${origin.slice(0, -1)}0` };
  return await service.http.send({ method: "POST", path, headers: { ...headers, ...type }, body: form });
}

const refusals = () =>
  service
    .log()
    .split("\n")
    .filter((line) => line.includes('"saml.refused"'));

/** A good request, signed by the target but for these parts of the signature. */
const signed = (parts: Partial<SignatureParts> = {}, xml = ground.request()) =>
  signMessage(xml, { key: ground.target.keys.privateKey, id, ...parts });

/** The request that the attacker wants, with the signature of one that the target has signed. */
function wrapped(parts: Partial<SignatureParts>, content = ""): string {
  const attributes = { AssertionConsumerServiceURL: ground.target.secondAcs, ID: "_evil" };
  const signature = signatureOf(ground.request(), { key: ground.target.keys.privateKey, id, ...parts });
  return insertSignature(ground.request({ attributes, content }), signature);
}

const goodQuery = () => bySignedQuery(ground, ground.request());

const attacks: Readonly<Record<string, () => Attempt>> = {
  "the original in Extensions, its signature in the root": () =>
    byPost(wrapped({}, `<samlp:Extensions>${signed()}</samlp:Extensions>`)),
  "the original in ds:Object of the signature": () =>
    byPost(wrapped({ rest: `<ds:Object>${ground.request()}</ds:Object>` })),
  "two signatures": () => byPost(signed({}, signed())),
  "a signature of another namespace": () => byPost(signed().replace(`"${names.signature}"`, '"urn:x"')),
  "no signature, though it is required": () => byPost(ground.request()),
  "a value changed after it was signed": () => byPost(signed().replace("/acs?a=1&amp;b=2", "/second")),
  "a signature of the query, on POST": () =>
    byPost(ground.request(), Object.fromEntries(new URLSearchParams(goodQuery().query))),
  "the key of another service provider": () => byPost(signed({ key: ground.other.keys.privateKey })),
  "a key of the attacker, whose certificate is in KeyInfo": () =>
    byPost(
      signed({
        key: ground.stranger.privateKey,
        rest: `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${ground.stranger.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`,
      }),
    ),
  "hmac-sha256 with the public key": () =>
    byPost(
      signed({
        method: `${names.more}hmac-sha256`,
        signOctets(octets) {
          const secret = ground.target.keys.publicKey.export({ format: "pem", type: "spki" });
          return createHmac("sha256", secret).update(octets).digest("base64");
        },
      }),
    ),
  "rsa-sha1 as SignatureMethod": () => byPost(signed({ method: `${names.signature}rsa-sha1` })),
  "a Reference to http": () => byPost(signed({ uri: ' URI="http://127.0.0.1:9/document.xml"' })),
  "a comment in Issuer, whose signature is good": () => {
    const issuer = `<saml:Issuer>${ground.target.entityId}<!-- --></saml:Issuer>`;
    return byPost(signed({}, ground.request({ issuer })));
  },
  "a DOCTYPE with an entity": () => byPost(`<!DOCTYPE a [<!ENTITY e "x">]>${signed()}`),
  "10,000 levels": () => byPost(ground.request({ content: "<x>".repeat(9000) + "</x>".repeat(9000) })),
  "90 MB by DEFLATE on POST": () =>
    byPost(deflateRawSync(`<a>${" ".repeat(90 * 1_048_576)}</a>`, { level: 9 })),
  "9 MB by DEFLATE on Redirect": () => bySignedQuery(ground, `<a>${" ".repeat(9 * 1_048_576)}</a>`),
  "a broken percent sign": () => {
    const { path, query = "" } = goodQuery();
    return { path, query: query.replace("SAMLRequest=", "SAMLRequest=%zz") };
  },
  "SAMLRequest and SAMLResponse": () => ({ ...goodQuery(), query: `${goodQuery().query}&SAMLResponse=AAAA` }),
  "a RelayState that was changed": () => {
    const { path, query = "" } = goodQuery();
    return { path, query: query.replace("RelayState=here", "RelayState=there") };
  },
  "rsa-sha1 as SigAlg": () =>
    bySignedQuery(ground, ground.request(), { algorithm: `${names.signature}rsa-sha1` }),
  "another service provider as Issuer": () =>
    bySignedQuery(ground, ground.request({ issuer: `<saml:Issuer>${ground.other.entityId}</saml:Issuer>` })),
  "an AuthnRequest of SAML 1.1": () =>
    bySignedPost(ground, ground.request().replaceAll("SAML:2.0:protocol", "SAML:1.1:protocol")),
  "a LogoutRequest where somebody logs in": () =>
    bySignedQuery(ground, ground.request({ root: "LogoutRequest" })),
  "an AuthnRequest where somebody logs out": () => ({ ...goodQuery(), path: "/saml/v2/SLO" }),
};

test.each(Object.keys(attacks))("%s is refused with a page, and nothing is sent anywhere", async (name) => {
  const before = refusals().length;
  const { status, headers, text } = await send(attacks[name]?.() ?? { path: "" });
  expect({ status, text }).toMatchObject({ status: 400 });
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(headers.get("location")).toBeNull();
  expect(headers.getSetCookie()).toEqual([]);
  for (const secret of ["SAMLResponse", ".example", "<form"]) expect(text).not.toContain(secret);
  const lines = refusals().slice(before);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain(ground.target.entityId);
  // The algorithm is named, for whoever looks after it.
  expect(text.includes("<code>rsa-sha1</code>")).toBe(name.startsWith("rsa-sha1"));
  expect(lines[0]?.includes('"algorithm":"rsa-sha1"')).toBe(name.startsWith("rsa-sha1"));
});

describe("what is not an attack", () => {
  const expectAnswered = async ({ path, query, form }: Attempt, location: string) => {
    const url = `${ground.issuer}${path}`;
    const visited =
      form === undefined
        ? await ground.browser.open(`${url}?${query}`)
        : await ground.browser.post(url, [...new URLSearchParams(form)]);
    expect([visited.page?.text, visited.url.href]).toEqual([undefined, location]);
    expect(visited.posted?.map(([name]) => name)).toEqual(["SAMLResponse", "RelayState"]);
  };

  test("is answered: by HTTP-POST and by HTTP-Redirect", async () => {
    await expectAnswered(bySignedPost(ground, ground.request()), ground.target.acs);
    await expectAnswered(goodQuery(), ground.target.acs);
    const sha512 = { algorithm: `${names.more}rsa-sha512` };
    await expectAnswered(bySignedQuery(ground, ground.request(), sha512), ground.target.acs);
  });

  test("goes to another place of the metadata, by URL and by index", async () => {
    const { secondAcs } = ground.target;
    const byUrl = { AssertionConsumerServiceURL: secondAcs };
    await expectAnswered(bySignedQuery(ground, ground.request({ attributes: byUrl })), secondAcs);
    const neither = { AssertionConsumerServiceURL: undefined, ProtocolBinding: undefined };
    const attributes = { ...neither, AssertionConsumerServiceIndex: "1" };
    await expectAnswered(bySignedQuery(ground, ground.request({ attributes })), secondAcs);
  });
});
