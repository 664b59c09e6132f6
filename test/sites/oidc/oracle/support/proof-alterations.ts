import { randomUUID } from "node:crypto";
import type { WrongProof } from "../../../../support/proofs.ts";
import { makeProofKey, type ProofKey, signProof } from "../../../../support/proofs.ts";
import type { Alteration } from "./alterations.ts";
import { endpointPaths, type OracleRequest, type Party } from "./party.ts";

/** The key of the good requests, and others. */
export const oracleKey = makeProofKey();
const keys = {
  ES256: makeProofKey("ES256"),
  ES384: makeProofKey("ES384"),
  EdDSA: makeProofKey("EdDSA"),
  RS256: makeProofKey("RS256"),
};

/** Signs a proof for a request to this party, good but for what the test says. */
export function proveFor(
  party: Party,
  { endpoint, method, headers }: Pick<OracleRequest, "endpoint" | "method" | "headers">,
  how: WrongProof & { readonly key?: ProofKey } = {},
): Promise<string> {
  const [, accessToken] = /^DPoP (.*)$/.exec(headers["authorization"] ?? "") ?? [];
  const made = { verb: method, url: targetOf(party, endpoint), nowMs: party.clock.nowMs() };
  return signProof(how.key ?? oracleKey, accessToken === undefined ? made : { ...made, accessToken }, how);
}

const targetOf = (party: Party, endpoint: OracleRequest["endpoint"]) =>
  `${party.issuer}${endpointPaths[endpoint]}`;

/** Returns everything that is altered of the proof of a request; nothing if it has none. */
export function spoilProof({ headers }: OracleRequest): readonly Alteration[] {
  if (headers["dpop"] === undefined) return [];
  return [...otherClaims(), ...otherTargets(), ...otherHeads(), ...otherTexts(), ...otherTimes()];
}

type Wrong = (party: Party, request: OracleRequest) => WrongProof & { readonly key?: ProofKey };

function sign(name: string, wrong: Wrong): Alteration {
  return {
    name: `proof ${name}`,
    apply: async (request, party) => {
      const dpop = await proveFor(party, request, wrong(party, request));
      return { ...request, headers: { ...request.headers, dpop } };
    },
  };
}

const claim = (name: string, value: unknown): Alteration =>
  sign(`with ${name} = ${JSON.stringify(value)?.slice(0, 40)}`, () => ({ claims: { [name]: value } }));

function otherClaims(): readonly Alteration[] {
  const values = [undefined, null, "", 0, 1, -1, true, [], {}, ["wrong"]];
  const names = ["jti", "htm", "htu", "iat"];
  const id = (length: number): Alteration =>
    sign(`with an id of ${length} characters`, () => ({ claims: { jti: randomUUID().padEnd(length, "x") } }));
  return [
    ...names.flatMap((name) => values.map((value) => claim(name, value))),
    ...["htm", "htu", "iat"].map((name) => claim(name, "wrong")),
    ...["post", "get", "HEAD", "PUT", "POST ", "GET POST"].map((htm) => claim("htm", htm)),
    ...[undefined, "", "wrong", "A".repeat(43), null, 1].map((ath) => claim("ath", ath)),
    id(36),
    id(256),
    id(257),
    claim("unknown", "x"),
    claim("iss", "somebody"),
    claim("aud", "somebody"),
    claim("nonce", "x"),
  ];
}

function otherTargets(): readonly Alteration[] {
  const altered: Readonly<Record<string, (url: string, issuer: string) => string>> = {
    "with a query": (url) => `${url}?a=b`,
    "with a fragment": (url) => `${url}#a`,
    "with an empty query": (url) => `${url}?`,
    "in capitals": (url) => url.toUpperCase(),
    "with its scheme and host in capitals": (url, issuer) => url.replace(issuer, issuer.toUpperCase()),
    "with dots": (url, issuer) => url.replace(issuer, `${issuer}/x/..`),
    "with a slash": (url) => `${url}/`,
    "with two slashes": (url, issuer) => url.replace(issuer, `${issuer}/`),
    "of another host": (url, issuer) => url.replace(issuer, "https://evil.example"),
    "of another port": (url) => url.replace(/:\d+/, ":1"),
    "of another scheme": (url) => url.replace("http:", "https:"),
    "with a user": (url) => url.replace("http://", "http://user@"),
    "of the issuer": (_url, issuer) => issuer,
    "of its path": (url, issuer) => url.replace(issuer, ""),
  };
  return Object.entries(altered).map(([name, toTarget]) =>
    sign(`for its URL ${name}`, (party, { endpoint }) => ({
      claims: { htu: toTarget(targetOf(party, endpoint), party.issuer) },
    })),
  );
}

function otherHeads(): readonly Alteration[] {
  const whole = () => oracleKey.privateKey.export({ format: "jwk" });
  const heads: readonly (readonly [string, object])[] = [
    ["without typ", { typ: undefined }],
    ["of the type JWT", { typ: "JWT" }],
    ["of the type of access tokens", { typ: "at+jwt" }],
    ["without jwk", { jwk: undefined }],
    ["with an empty jwk", { jwk: {} }],
    ["with a jwk that is a text", { jwk: "x" }],
    ["with its private key", { jwk: whole() }],
    ["with the jwk of another key", { jwk: keys.ES256.publicKey }],
    ["with the jwk of another curve", { jwk: keys.ES384.publicKey }],
    ["with a secret as jwk", { jwk: { kty: "oct", k: "AAAA" } }],
    ["with a key id", { kid: "x" }],
    ["with a jwk that has more members", { jwk: { ...oracleKey.publicKey, kid: "x", use: "sig" } }],
  ];
  return [
    ...heads.map(([name, header]) => sign(name, () => ({ header }))),
    ...Object.entries(keys).map(([algorithm, key]) =>
      sign(`of another key, by ${algorithm}`, () => ({ key })),
    ),
    ...["RS512", "PS256"].map((alg) =>
      sign(`of another key, by ${alg}`, () => ({ key: keys.RS256, header: { alg } })),
    ),
  ];
}

function otherTexts(): readonly Alteration[] {
  const altered: Readonly<Record<string, (text: string) => string | undefined>> = {
    missing: () => undefined,
    "that is none": () => "garbage",
    "of three parts that are none": () => "a.b.c",
    cut: (text) => text.slice(0, -4),
    "without its signature": (text) => text.replace(/[^.]*$/, ""),
    "with more behind": (text) => `${text}.x`,
    twice: (text) => `${text}, ${text}`,
    "without algorithm": (text) => {
      const [head = "", ...others] = text.split(".");
      const header = { ...(JSON.parse(Buffer.from(head, "base64url").toString()) as object), alg: "none" };
      return [Buffer.from(JSON.stringify(header)).toString("base64url"), ...others].join(".");
    },
  };
  return Object.entries(altered).map(([name, toText]) => ({
    name: `proof ${name}`,
    apply: async (request) => {
      const { dpop = "", ...others } = request.headers;
      const text = toText(dpop);
      return { ...request, headers: text === undefined ? others : { ...others, dpop: text } };
    },
  }));
}

function otherTimes(): readonly Alteration[] {
  const at = (name: string, seconds: number) =>
    sign(name, (party) => ({ claims: { iat: Math.floor(party.clock.nowMs() / 1000) + seconds } }));
  const same: Alteration["apply"] = async (request) => request;
  return [
    at("of half a minute ago", -30),
    at("of half a minute ahead", 30),
    at("of two minutes ago", -120),
    at("of two minutes ahead", 120),
    at("of an hour ago", -3600),
    at("of an hour ahead", 3600),
    { name: "proof sent late", apply: same, lateSeconds: 50 },
    { name: "proof sent twice", apply: same, isRepeated: true },
  ];
}
