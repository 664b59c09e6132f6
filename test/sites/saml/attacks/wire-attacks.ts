import { createHmac, sign } from "node:crypto";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { base64, deflate, names, signMessage, writeQuery } from "./forge.ts";
import {
  type Attack,
  type AttackGround,
  type Attempt,
  byPost,
  bySignedPost,
  bySignedQuery,
  id,
  sso,
} from "./ground.ts";

/** The document of a good request, changed after it was signed, where the signature does not look. */
const withDocument = (change: (xml: string) => string | Buffer) => (ground: AttackGround) =>
  byPost(change(signMessage(ground.request(), { key: ground.target.keys.privateKey, id })));

/** A good query, changed. */
const withQuery =
  (change: (query: string, ground: AttackGround) => string) =>
  (ground: AttackGround): Attempt => {
    const { path, query = "" } = bySignedQuery(ground, ground.request());
    return { path, query: change(query, ground) };
  };

/** A good form, changed. */
const withForm =
  (change: (form: string) => string) =>
  (ground: AttackGround): Attempt => {
    const { path, form = "" } = bySignedPost(ground, ground.request());
    return { path, form: change(form) };
  };

const megabyte = 1_048_576;
const bomb = (megabytes: number) => `<a>${" ".repeat(megabytes * megabyte)}</a>`;
const deep = (levels: number) => `${"<x>".repeat(levels)}${"</x>".repeat(levels)}`;
const entity = '<!DOCTYPE a [<!ENTITY e "x">]>';

/** What parsers trip over. */
export const documentAttacks: readonly Attack[] = [
  ["a DOCTYPE", withDocument((xml) => `<!DOCTYPE a>${xml}`)],
  ["a DOCTYPE with an entity", withDocument((xml) => entity + xml)],
  ["a DOCTYPE of another file", withDocument((xml) => `<!DOCTYPE a SYSTEM "file:///etc/passwd">${xml}`)],
  ["a DOCTYPE behind a comment", withDocument((xml) => `<!-- --><!DOCTYPE a>${xml}`)],
  [
    "an entity that nobody declares",
    withDocument((xml) => xml.replace("</saml:Issuer>", "&e;</saml:Issuer>")),
  ],
  ["two roots", withDocument((xml) => xml + xml)],
  ["text behind the root", withDocument((xml) => `${xml}x`)],
  ["UTF-16", withDocument((xml) => Buffer.from(`\uFEFF${xml}`, "utf16le"))],
  [
    "the name of another encoding",
    withDocument((xml) => `<?xml version="1.0" encoding="ISO-8859-1"?>${xml}`),
  ],
  ["bytes that are no UTF-8", withDocument((xml) => Buffer.from(xml.replace(">", ">\xff"), "latin1"))],
  ["a NUL", withDocument((xml) => xml.replace("</saml:Issuer>", "\0</saml:Issuer>"))],
  [
    "51 levels",
    (ground) =>
      bySignedPost(ground, ground.request({ content: `<samlp:Extensions>${deep(49)}</samlp:Extensions>` })),
  ],
  [
    "10,000 levels",
    (ground) => byPost(ground.request({ content: `<samlp:Extensions>${deep(9000)}</samlp:Extensions>` })),
  ],
  [
    "1,001 elements",
    (ground) =>
      bySignedPost(
        ground,
        ground.request({ content: `<samlp:Extensions>${"<x></x>".repeat(1000)}</samlp:Extensions>` }),
      ),
  ],
  [
    "3,001 attributes",
    (ground) => {
      const one = `<x ${Array.from({ length: 60 }, (_, at) => `a${at}="1"`).join(" ")}></x>`;
      return bySignedPost(
        ground,
        ground.request({ content: `<samlp:Extensions>${one.repeat(51)}</samlp:Extensions>` }),
      );
    },
  ],
  ["no XML", () => byPost("hello")],
  ["nothing", () => byPost("")],
  ["XML that ends too soon", withDocument((xml) => xml.slice(0, -10))],
  ["90 MB by DEFLATE on POST", () => byPost(deflateRawSync(bomb(90), { level: 9 }))],
  ["9 MB by DEFLATE on Redirect", (ground) => bySignedQuery(ground, bomb(9))],
  [
    "64 KiB and a byte by DEFLATE",
    (ground) => {
      const spaces = " ".repeat(65_537 - ground.request().length);
      return bySignedQuery(
        ground,
        ground.request().replace("</samlp:AuthnRequest>", `${spaces}</samlp:AuthnRequest>`),
      );
    },
  ],
];

/** What a message may be packed in. */
export const encodingAttacks: readonly Attack[] = [
  [
    "base64 of another alphabet",
    withQuery((query) =>
      query.replace(/SAMLRequest=[^&]*/, (text) =>
        text.replaceAll("%2B", "-").replaceAll("%2F", "_").replace("=", "=-"),
      ),
    ),
  ],
  ["a character that is not base64", withForm((form) => form.replace("SAMLRequest=", "SAMLRequest=%40"))],
  [
    "base64 of a length that there is not",
    withForm((form) =>
      form.replace(/SAMLRequest=[^&]*/, (text) =>
        text.replaceAll("%3D", "").slice(0, 1001 + "SAMLRequest=".length),
      ),
    ),
  ],
  [
    "base64 that goes on behind its padding",
    withForm((form) => form.replace("&RelayState", "%3D%3D%3D%3DAAAA&RelayState")),
  ],
  [
    "a broken percent sign in the query",
    withQuery((query) => query.replace("SAMLRequest=", "SAMLRequest=%zz")),
  ],
  ["a broken percent sign in the form", withForm((form) => form.replace("SAMLRequest=", "SAMLRequest=%zz"))],
  [
    "DEFLATE with bytes behind its end",
    (ground) =>
      bySignedQuery(ground, ground.request(), {
        encode: (xml) => base64(Buffer.concat([deflateRawSync(xml), Buffer.from("x")])),
      }),
  ],
  [
    "DEFLATE that ends too soon",
    (ground) =>
      bySignedQuery(ground, ground.request(), {
        encode: (xml) => base64(deflateRawSync(xml).subarray(0, -9)),
      }),
  ],
  [
    "zlib instead of DEFLATE",
    (ground) => bySignedQuery(ground, ground.request(), { encode: (xml) => base64(deflateSync(xml)) }),
  ],
  [
    "gzip instead of DEFLATE",
    (ground) => bySignedQuery(ground, ground.request(), { encode: (xml) => base64(gzipSync(xml)) }),
  ],
  ["no DEFLATE on Redirect", (ground) => bySignedQuery(ground, ground.request(), { encode: base64 })],
  ["DEFLATE twice on POST", (ground) => byPost(deflateRawSync(deflateRawSync(ground.request())))],
  [
    "another SAMLEncoding",
    withQuery(
      (query) =>
        `${query}&SAMLEncoding=${encodeURIComponent("urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:NONE")}`,
    ),
  ],
];

/** What the parameters may be. */
export const parameterAttacks: readonly Attack[] = [
  ...["SAMLRequest", "RelayState", "SigAlg", "Signature"].map(
    (name): Attack => [
      `${name} twice in the query`,
      withQuery((query) => `${query}&${query.split("&").find((part) => part.startsWith(`${name}=`))}`),
    ],
  ),
  ["RelayState twice, one of them empty", withQuery((query) => `RelayState=&${query}`)],
  [
    "SAMLRequest under an encoded name as well",
    withQuery((query, ground) => `${query}&SAML%52equest=${encodeURIComponent(deflate(ground.request()))}`),
  ],
  ["SAMLRequest twice in the form", withForm((form) => `${form}&${form.split("&")[0]}`)],
  ["RelayState twice in the form", withForm((form) => `${form}&RelayState=x`)],
  ["SAMLRequest and SAMLResponse in the query", withQuery((query) => `${query}&SAMLResponse=AAAA`)],
  ["SAMLRequest and SAMLResponse in the form", withForm((form) => `${form}&SAMLResponse=AAAA`)],
  ["SigAlg without Signature", withQuery((query) => query.replace(/&Signature=.*/, ""))],
  ["Signature without SigAlg", withQuery((query) => query.replace(/&SigAlg=[^&]*/, ""))],
  ["an empty Signature", withQuery((query) => query.replace(/&Signature=.*/, "&Signature="))],
  ["no message in the query", () => ({ path: sso, query: "" })],
  ["no message in the form", () => ({ path: sso, form: "RelayState=x" })],
  [
    "a message of the query on POST",
    (ground) => ({ path: `${sso}?${bySignedQuery(ground, ground.request()).query ?? ""}`, form: "" }),
  ],
  [
    "a RelayState that was changed",
    withQuery((query) => query.replace("RelayState=here", "RelayState=there")),
  ],
  [
    "a RelayState that was added",
    (ground) => {
      const { path, query = "" } = bySignedQuery(ground, ground.request(), { relayState: undefined });
      return { path, query: `${query}&RelayState=there` };
    },
  ],
  ["a RelayState that was removed", withQuery((query) => query.replace("&RelayState=here", ""))],
  [
    "a RelayState of 5,000 bytes in the query",
    (ground) => bySignedQuery(ground, ground.request(), { relayState: "x".repeat(5000) }),
  ],
  [
    "a RelayState of 5,000 bytes in the form",
    (ground) =>
      byPost(signMessage(ground.request(), { key: ground.target.keys.privateKey, id }), {
        RelayState: "x".repeat(5000),
      }),
  ],
  [
    "a RelayState of 4,097 bytes, though fewer characters",
    (ground) => bySignedQuery(ground, ground.request(), { relayState: `${"é".repeat(2048)}x` }),
  ],
  [
    "a signature inside of a message of the query, alone",
    (ground) => ({
      path: sso,
      query: writeQuery({ xml: signMessage(ground.request(), { key: ground.target.keys.privateKey, id }) }),
    }),
  ],
  [
    "a signature inside of a message of the query that is signed itself",
    (ground) =>
      bySignedQuery(ground, signMessage(ground.request(), { key: ground.target.keys.privateKey, id })),
  ],
  ...(["rsa-sha1", "dsa-sha1", "hmac-sha1"] as const).map(
    (name): Attack => [
      `${name} as SigAlg`,
      (ground) =>
        bySignedQuery(ground, ground.request(), {
          algorithm: names.signature + name,
          signOctets: (octets) =>
            name === "hmac-sha1"
              ? createHmac("sha1", ground.target.keys.publicKey.export({ format: "pem", type: "spki" }))
                  .update(octets)
                  .digest("base64")
              : sign("sha1", octets, ground.target.keys.privateKey).toString("base64"),
        }),
    ],
  ),
  [
    "hmac-sha256 as SigAlg",
    (ground) =>
      bySignedQuery(ground, ground.request(), {
        algorithm: `${names.more}hmac-sha256`,
        signOctets: (octets) =>
          createHmac("sha256", ground.target.keys.publicKey.export({ format: "pem", type: "spki" }))
            .update(octets)
            .digest("base64"),
      }),
  ],
  [
    "ecdsa-sha256 as SigAlg with the RSA key",
    (ground) => bySignedQuery(ground, ground.request(), { algorithm: `${names.more}ecdsa-sha256` }),
  ],
  [
    "a SigAlg that nobody knows",
    (ground) => bySignedQuery(ground, ground.request(), { algorithm: "urn:example:none" }),
  ],
  [
    "the key of another service provider in the query",
    (ground) => bySignedQuery(ground, ground.request(), { key: ground.other.keys.privateKey }),
  ],
  [
    "a key of nobody in the query",
    (ground) => bySignedQuery(ground, ground.request(), { key: ground.stranger.privateKey }),
  ],
];
