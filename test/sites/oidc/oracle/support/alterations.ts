import { deviceGrant } from "../../support/device.ts";
import type { Field } from "../../support/user-agent.ts";
import type { Base } from "./bases.ts";
import { basicOf, type ClientName, type OracleRequest, type Party, signFor } from "./party.ts";

/** One thing that is not as in the good request. */
export interface Alteration {
  readonly name: string;
  /** Returns the altered request, or undefined when it has nothing to alter. */
  apply(request: OracleRequest, party: Party, base: Base): Promise<OracleRequest | undefined>;
  /** How long after it was made the request is sent. */
  readonly lateSeconds?: number;
  /** Whether it is sent again after it was answered. */
  readonly isRepeated?: boolean;
}

/** Values that a parameter may be sent with, whatever the request. */
const valuesOf: Readonly<Record<string, readonly string[]>> = {
  response_type: ["token", "id_token", "code id_token", "code token", "none", "code code", "CODE"],
  scope: [
    "openid",
    "profile",
    "openid unknown",
    "openid openid",
    "unknown",
    "openid,profile",
    "offline_access",
    "OPENID openid",
  ],
  code_challenge: [
    "a".repeat(42),
    "a".repeat(43),
    "a".repeat(129),
    `${"a".repeat(42)}=`,
    `${"a".repeat(42)}+`,
  ],
  code_challenge_method: ["plain", "s256", "S512"],
  code_verifier: ["a".repeat(42), "a".repeat(43), "a".repeat(129), `${"a".repeat(42)}+`],
  redirect_uri: [
    "https://app.example/callback/",
    "https://app.example/callback?x=1",
    "https://app.example/callback#x",
    "https://app.example/callback/../callback",
    "https://app.example/CALLBACK",
    "https://APP.example/callback",
    "https://app.example:443/callback",
    "https://app.example:8443/callback",
    "https://user@app.example/callback",
    "https://app.example.evil.example/callback",
    "https://evil.example/callback",
    "http://app.example/callback",
    "http://127.0.0.1/callback",
    "https://app.example",
    "https://app.example/%63allback",
    "//app.example/callback",
    "javascript:alert(1)",
    "app.example:/callback",
  ],
  grant_type: [
    "authorization_code",
    "refresh_token",
    "client_credentials",
    "password",
    "implicit",
    "unknown",
    "AUTHORIZATION_CODE",
    deviceGrant,
  ],
  client_assertion_type: ["urn:ietf:params:oauth:client-assertion-type:saml2-bearer", "unknown"],
  token_type_hint: ["access_token", "refresh_token", "id_token", "unknown"],
  prompt: ["login", "none", "none login", "login login", "unknown", "consent none", "select_account"],
  max_age: ["0", "1", "-1", "x", "1.5", "99999999999999999999"],
  response_mode: ["query", "form_post", "fragment", "unknown"],
};

/** Parameters that the good requests do not have, with values that clients and attackers send. */
const additions: Readonly<Record<OracleRequest["endpoint"], readonly Field[]>> = {
  authorize: [
    ["prompt", "none login"],
    ["prompt", "unknown"],
    ["prompt", "login"],
    ["max_age", "-1"],
    ["max_age", "x"],
    ["max_age", "60"],
    ["response_mode", "form_post"],
    ["response_mode", "fragment"],
    ["response_mode", "unknown"],
    ["request", "x"],
    ["request_uri", "https://app.example/request"],
    ["registration", "{}"],
    ["id_token_hint", "wrong"],
    ["id_token_hint", "a.b.c"],
    ["claims", "{}"],
    ["ui_locales", "de en"],
    ["ui_locales", "%%%"],
    ["display", "popup"],
    ["login_hint", "somebody"],
    ["acr_values", "unknown"],
    ["resource", "https://api.example"],
    ["audience", "somebody"],
    ["unknown", "x"],
    ["__proto__", "x"],
    ["constructor", "x"],
    ["client_secret", "x"],
    ["code", "x"],
    ["error", "x"],
    ["iss", "https://evil.example"],
  ],
  push: [
    ["unknown", "x"],
    ["__proto__", "x"],
    ["constructor", "x"],
    ["request_uri", "https://app.example/request"],
    ["request_uri", `urn:ietf:params:oauth:request_uri:${"a".repeat(43)}`],
    ["request", "x"],
    ["registration", "{}"],
    ["prompt", "none login"],
    ["max_age", "x"],
    ["response_mode", "form_post"],
    ["response_mode", "fragment"],
    ["claims", "{}"],
    ["resource", "https://api.example"],
    ["client_id", "unknown"],
    ["client_secret", "wrong"],
    ["client_assertion", "wrong"],
    ["code_challenge", "x"],
  ],
  token: [
    ["unknown", "x"],
    ["__proto__", "x"],
    ["constructor", "x"],
    ["resource", "https://api.example"],
    ["audience", "somebody"],
    ["client_id", "unknown"],
    ["client_secret", "wrong"],
    ["client_assertion", "wrong"],
    ["code_verifier", "a-verifier-that-was-not-asked-for-0123456789-0123456789"],
    ["code", "wrong"],
    ["refresh_token", "wrong"],
    ["redirect_uri", "https://evil.example/callback"],
    ["scope", "openid"],
    ["scope", "openid profile"],
    ["scope", "openid email"],
    ["scope", "unknown"],
    ["username", "somebody"],
    ["assertion", "wrong"],
    ["device_code", "wrong"],
  ],
  deviceAuthorization: [
    ["unknown", "x"],
    ["__proto__", "x"],
    ["client_id", "unknown"],
    ["client_secret", "wrong"],
    ["client_assertion", "wrong"],
    ["resource", "https://api.example"],
    ["response_type", "code"],
    ["response_type", "unknown"],
    ["redirect_uri", "https://evil.example/callback"],
    ["prompt", "none"],
    ["max_age", "60"],
    ["nonce", "x"],
    ["state", "x"],
    ["user_code", "BBBB-BBBB"],
    ["device_code", "x"],
  ],
  introspect: [
    ["unknown", "x"],
    ["client_id", "unknown"],
    ["client_secret", "wrong"],
    ["resource", "x"],
  ],
  revoke: [
    ["unknown", "x"],
    ["client_id", "unknown"],
    ["client_secret", "wrong"],
    ["resource", "x"],
  ],
  userinfo: [
    ["unknown", "x"],
    ["schema", "openid"],
  ],
};

/** Returns everything that is altered of a request, one at a time. */
export function alterationsOf(base: Base, sample: OracleRequest): readonly Alteration[] {
  const names = [...new Set(sample.fields.map(([name]) => name))];
  return [
    ...names.flatMap((name) => [...spoil(name), ...replace(name), ...swap(name, names)]),
    ...additions[sample.endpoint].map(([name, value]) => add(name, value)),
    ...spoilAuthorization(sample),
    ...(names.includes("client_assertion") ? spoilAssertion() : []),
    ...spoilBody(sample),
    ...repeat(base, sample),
  ];
}

/** Changes the value of a parameter; undefined when that leaves it as it is. */
function change(
  name: string,
  how: string,
  changed: (value: string) => readonly string[] | undefined,
): Alteration {
  return {
    name: `${name} ${how}`,
    apply: async (request) => {
      const fields = request.fields.flatMap(([key, value]): readonly Field[] => {
        const values = key === name ? changed(value) : [value];
        return (values ?? [value]).map((one) => [key, one]);
      });
      return String(fields) === String(request.fields) ? undefined : { ...request, fields };
    },
  };
}

function spoil(name: string): readonly Alteration[] {
  return [
    change(name, "missing", () => []),
    change(name, "empty", () => [""]),
    change(name, "repeated", (value) => [value, value]),
    change(name, "repeated with another value", (value) => [value, "another"]),
    change(name, "repeated empty", (value) => ["", value]),
    change(name, "wrong", () => ["wrong"]),
    change(name, "cut", (value) => [value.slice(0, -1)]),
    change(name, "longer", (value) => [`${value}x`]),
    change(name, "with a space", (value) => [`${value} `]),
    change(name, "with NUL", (value) => [`${value}\0`]),
    change(name, "in capitals", (value) => [value.toUpperCase()]),
    change(name, "very long", () => ["x".repeat(4000)]),
    {
      name: `${name} foreign`,
      async apply(request, party, base) {
        if (!request.fields.some(([key]) => key === name)) return undefined;
        const foreign = await base.foreign(party, name);
        if (foreign === undefined) return undefined;
        const fields = request.fields.map(([key, value]): Field => [key, key === name ? foreign : value]);
        return { ...request, fields };
      },
    },
  ];
}

function replace(name: string): readonly Alteration[] {
  return (valuesOf[name] ?? []).map((value) => change(name, `= ${value}`, () => [value]));
}

/** Two parameters change their values. */
function swap(name: string, names: readonly string[]): readonly Alteration[] {
  return names
    .filter((other) => other > name)
    .map((other) => ({
      name: `${name} and ${other} swapped`,
      async apply(request) {
        const values = new Map(request.fields);
        const [mine, theirs] = [values.get(name), values.get(other)];
        if (mine === undefined || theirs === undefined || mine === theirs) return undefined;
        const fields = request.fields.map(([key, value]): Field => {
          if (key === name) return [key, theirs];
          return [key, key === other ? mine : value];
        });
        return { ...request, fields };
      },
    }));
}

function add(name: string, value: string): Alteration {
  return {
    name: `${name} added = ${value}`,
    async apply(request) {
      if (request.fields.some(([key]) => key === name)) return undefined;
      return { ...request, fields: [...request.fields, [name, value]] };
    },
  };
}

type HeaderChange = (authorization: string, party: Party) => string | undefined;

function spoilAuthorization(sample: OracleRequest): readonly Alteration[] {
  const { endpoint, headers } = sample;
  if (endpoint === "authorize") return [];
  const asAuthorization = (name: string, changed: HeaderChange): Alteration => ({
    name: `authorization ${name}`,
    async apply(request, party) {
      const { authorization = "", ...others } = request.headers;
      const value = changed(authorization, party);
      if (value === authorization) return undefined;
      return { ...request, headers: value === undefined ? others : { ...others, authorization: value } };
    },
  });
  const as = (name: ClientName) => (_authorization: string, party: Party) =>
    basicOf(party.clients[name].id, party.clients[name].secret ?? "wrong").authorization;
  const general = [
    asAuthorization("of another client", as("strict")),
    asAuthorization("of a client without secret", as("public")),
    asAuthorization("of a client with a key", as("key")),
    asAuthorization("of an unknown client", () => basicOf("unknown", "wrong").authorization),
    asAuthorization("without a colon", () => `Basic ${Buffer.from("unknown").toString("base64")}`),
    asAuthorization("not base64", () => "Basic %%%"),
    asAuthorization("empty", () => "Basic "),
    asAuthorization("a bearer token", () => "Bearer wrong"),
    asAuthorization("of an unknown scheme", () => "Unknown x"),
  ];
  if (headers["authorization"] === undefined) return general;
  return [
    ...general,
    asAuthorization("missing", () => undefined),
    asAuthorization("cut", (value) => value.slice(0, -8)),
    asAuthorization("with a small scheme", (value) =>
      value.replace(/^\w+/, (scheme) => scheme.toLowerCase()),
    ),
    asAuthorization("with two spaces", (value) => value.replace(" ", "  ")),
    asAuthorization("without its scheme", (value) => value.replace(/^\w+ /, "")),
    asAuthorization("twice", (value) => `${value}, ${value}`),
  ];
}

/** What is wrong with an assertion (RFC 7523 §3). */
function spoilAssertion(): readonly Alteration[] {
  const now = (party: Party) => Math.floor(party.clock.nowMs() / 1000);
  const sign = (
    name: string,
    wrong: (party: Party) => Parameters<typeof signFor>[2],
    signer: ClientName = "key",
  ): Alteration => ({
    name: `assertion ${name}`,
    async apply(request, party) {
      if (!request.fields.some(([key]) => key === "client_assertion")) return undefined;
      const assertion = await signFor(party, party.clients[signer], wrong(party));
      const fields = request.fields.map(
        ([key, value]): Field => [key, key === "client_assertion" ? assertion : value],
      );
      return { ...request, fields };
    },
  });
  return [
    sign("for the token endpoint", (party) => ({ claims: { aud: `${party.issuer}/oauth/v2/token` } })),
    sign("for a list of audiences", (party) => ({ claims: { aud: [party.issuer] } })),
    sign("for another host", () => ({ claims: { aud: "https://evil.example" } })),
    sign("for nobody", () => ({ claims: { aud: undefined } })),
    sign("that has expired", (party) => ({ claims: { exp: now(party) - 120, iat: now(party) - 180 } })),
    sign("without exp", () => ({ claims: { exp: undefined } })),
    sign("without iat", () => ({ claims: { iat: undefined } })),
    sign("without jti", () => ({ claims: { jti: undefined } })),
    sign("without iss", () => ({ claims: { iss: undefined } })),
    sign("without sub", () => ({ claims: { sub: undefined } })),
    sign("of another issuer", (party) => ({ claims: { iss: party.clients.basic.id } })),
    sign("for another subject", (party) => ({ claims: { sub: party.clients.basic.id } })),
    sign("of an unknown client", () => ({ claims: { iss: "unknown", sub: "unknown" } })),
    sign("not valid yet", (party) => ({ claims: { nbf: now(party) + 300 } })),
    sign("from the future", (party) => ({ claims: { iat: now(party) + 300, exp: now(party) + 360 } })),
    sign("for ten years", (party) => ({ claims: { exp: now(party) + 315_360_000 } })),
    sign("of an unknown key", () => ({ header: { kid: "unknown" } })),
    sign("without kid", () => ({ header: { kid: undefined } })),
    sign("signed by nobody that is known", () => ({ isForeign: true })),
    sign("of a client that has a secret", () => ({}), "basic"),
  ];
}

function spoilBody({ method }: OracleRequest): readonly Alteration[] {
  if (method === "GET") return [];
  return [
    { name: "body as JSON", apply: async (request) => ({ ...request, body: "json" }) },
    { name: "no parameters", apply: async (request) => ({ ...request, fields: [] }) },
  ];
}

function repeat({ lifeSeconds }: Base, { endpoint, fields }: OracleRequest): readonly Alteration[] {
  const same = async (request: OracleRequest) => request;
  const late =
    lifeSeconds === undefined
      ? []
      : [
          { name: "just in time", apply: same, lateSeconds: lifeSeconds - 2 },
          { name: "too late", apply: same, lateSeconds: lifeSeconds + 1 },
        ];
  const isPlain = endpoint === "authorize" && !fields.some(([name]) => name === "request_uri");
  return isPlain ? late : [...late, { name: "sent twice", apply: same, isRepeated: true }];
}
