import { createHash } from "node:crypto";
import { deviceGrant } from "../../support/device.ts";
import type { Field } from "../../support/user-agent.ts";
import {
  basicOf,
  type ClientName,
  getCode,
  getDeviceCode,
  getReference,
  getTokens,
  methodOf,
  type OracleRequest,
  type Party,
  redirectUris,
  signFor,
} from "./party.ts";

/** A good request, from which others are made by altering it. */
export interface Base {
  readonly name: string;
  /** False: the browser has no session. */
  readonly withSession: boolean;
  /** Makes the request, with what it needs, such as a code. */
  make(party: Party): Promise<OracleRequest>;
  /** Returns what another request of this kind has in the parameter, such as a code of another client; undefined: nothing. */
  foreign(party: Party, parameter: string): Promise<string | undefined>;
  /** How long what the request presents is good for. */
  readonly lifeSeconds: number | undefined;
}

const verifier = "a-verifier-of-the-oracle-that-is-long-enough-0123456789";
const otherVerifier = "another-verifier-of-the-oracle-that-is-long-enough-9876";
const challengeOf = (text: string) => createHash("sha256").update(text).digest("base64url");

/** The request of a client for a code. */
function codeFields(
  party: Party,
  name: ClientName,
  how: { readonly hasPkce?: boolean } = {},
): readonly Field[] {
  const { hasPkce = true } = how;
  return [
    ["client_id", party.clients[name].id],
    ["response_type", "code"],
    ["redirect_uri", redirectUris[0]],
    ["scope", "openid profile offline_access"],
    ["state", "state-of-the-oracle"],
    ["nonce", "nonce-of-the-oracle"],
    ...(hasPkce
      ? ([
          ["code_challenge", challengeOf(verifier)],
          ["code_challenge_method", "S256"],
        ] as const)
      : []),
  ];
}

function authorize(
  name: ClientName,
  how: {
    readonly hasPkce?: boolean;
    readonly method?: "GET" | "POST";
    readonly withSession?: boolean;
    readonly more?: readonly Field[];
  } = {},
): Base {
  const { hasPkce = true, method = "GET", withSession = true, more = [] } = how;
  const words = [
    `authorize ${name}`,
    ...(hasPkce ? [] : ["without PKCE"]),
    ...(method === "POST" ? ["by POST"] : []),
    ...(withSession ? [] : ["without session"]),
    ...more.map(([key, value]) => `${key}=${value}`),
  ];
  return {
    name: words.join(" "),
    withSession,
    lifeSeconds: undefined,
    make: async (party) => ({
      endpoint: "authorize",
      method,
      fields: [...codeFields(party, name, { hasPkce }), ...more],
      headers: {},
    }),
    foreign: async (party, parameter) => {
      if (parameter === "client_id") return party.clients.machine.id;
      return parameter === "redirect_uri" ? redirectUris[1] : undefined;
    },
  };
}

/** Adds to a request what the client proves itself with. */
async function prove(party: Party, name: ClientName, request: OracleRequest): Promise<OracleRequest> {
  const client = party.clients[name];
  const { id, secret = "" } = client;
  switch (methodOf[name]) {
    case "client_secret_basic":
      return { ...request, headers: { ...request.headers, ...basicOf(id, secret) } };
    case "client_secret_post":
      return { ...request, fields: [...request.fields, ["client_id", id], ["client_secret", secret]] };
    case "private_key_jwt":
      return {
        ...request,
        fields: [
          ...request.fields,
          ["client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"],
          ["client_assertion", await signFor(party, client)],
        ],
      };
    case "none":
      return { ...request, fields: [...request.fields, ["client_id", id]] };
  }
}

/** Pushes what a browser would bring. */
function push(
  name: ClientName,
  how: { readonly hasPkce?: boolean; readonly more?: readonly Field[] } = {},
): Base {
  const { hasPkce = true, more = [] } = how;
  const words = [
    `push ${name}`,
    ...(hasPkce ? [] : ["without PKCE"]),
    ...more.map(([key, value]) => `${key}=${value}`),
  ];
  return {
    name: words.join(" "),
    withSession: true,
    lifeSeconds: undefined,
    make: (party) => makePush(party, name, how),
    foreign: foreignOf(name),
  };
}

function makePush(
  party: Party,
  name: ClientName,
  { hasPkce = true, more = [] }: { readonly hasPkce?: boolean; readonly more?: readonly Field[] } = {},
): Promise<OracleRequest> {
  const hasName = ["none", "client_secret_post"].includes(methodOf[name]);
  const fields = codeFields(party, name, { hasPkce }).filter(([key]) => !hasName || key !== "client_id");
  return prove(party, name, form("push", [...fields, ...more]));
}

/** Brings the reference to a pushed request. */
function bring(
  name: ClientName,
  how: { readonly method?: "GET" | "POST"; readonly more?: readonly Field[] } = {},
): Base {
  const { method = "GET", more = [] } = how;
  const reference = async (party: Party, by: ClientName) =>
    await getReference(party, await makePush(party, by, { more }));
  const words = [
    `bring ${name}`,
    ...(method === "POST" ? ["by POST"] : []),
    ...more.map(([key, value]) => `${key}=${value}`),
  ];
  return {
    name: words.join(" "),
    withSession: true,
    lifeSeconds: 60,
    make: async (party) => ({
      endpoint: "authorize",
      method,
      fields: [
        ["client_id", party.clients[name].id],
        ["request_uri", await reference(party, name)],
      ],
      headers: {},
    }),
    foreign: async (party, parameter) =>
      parameter === "client_id"
        ? party.clients[strangerOf(name)].id
        : await reference(party, strangerOf(name)),
  };
}

function form(endpoint: OracleRequest["endpoint"], fields: readonly Field[]): OracleRequest {
  return { endpoint, method: "POST", fields, headers: {} };
}

/** The client of which a foreign code or token is. */
function strangerOf(name: ClientName): ClientName {
  return name === "post" ? "basic" : "post";
}

async function redeem(
  party: Party,
  name: ClientName,
  how: { readonly hasPkce?: boolean } = {},
): Promise<OracleRequest> {
  const given = await getCode(party, codeFields(party, name, how));
  const fields: readonly Field[] = [
    ["grant_type", "authorization_code"],
    ["code", given],
    ["redirect_uri", redirectUris[0]],
    ...(how.hasPkce === false ? [] : ([["code_verifier", verifier]] as const)),
  ];
  return await prove(party, name, form("token", fields));
}

function foreignOf(name: ClientName) {
  return async (party: Party, parameter: string): Promise<string | undefined> => {
    const stranger = strangerOf(name);
    switch (parameter) {
      case "client_id":
        return party.clients[stranger].id;
      case "client_secret":
        return party.clients[stranger].secret ?? party.clients.basic.secret;
      case "code":
        return await getCode(party, codeFields(party, stranger));
      case "device_code":
        return await deviceCodeOf(party, stranger, true);
      case "redirect_uri":
        return redirectUris[1];
      case "code_verifier":
        return otherVerifier;
      case "refresh_token":
        return (await getTokens(party, await redeem(party, stranger)))["refresh_token"];
      case "client_assertion":
        return await signFor(party, party.clients[name], { isForeign: true });
      default:
        return undefined;
    }
  };
}

function code(name: ClientName, how: { readonly hasPkce?: boolean } = {}): Base {
  return {
    name: `code ${name}${how.hasPkce === false ? " without PKCE" : ""}`,
    withSession: true,
    lifeSeconds: 60,
    make: (party) => redeem(party, name, how),
    foreign: foreignOf(name),
  };
}

function refresh(name: ClientName): Base {
  return {
    name: `refresh ${name}`,
    withSession: true,
    lifeSeconds: 14 * 24 * 3600,
    async make(party) {
      const { refresh_token: token = "" } = await getTokens(party, await redeem(party, name));
      const fields: readonly Field[] = [
        ["grant_type", "refresh_token"],
        ["refresh_token", token],
      ];
      return await prove(party, name, form("token", fields));
    },
    foreign: foreignOf(name),
  };
}

/** The request of a device for its codes. */
async function askForDevice(party: Party, name: ClientName): Promise<OracleRequest> {
  const fields: readonly Field[] = [["scope", "openid profile offline_access"]];
  return await prove(party, name, form("deviceAuthorization", fields));
}

async function deviceCodeOf(party: Party, name: ClientName, isAllowed: boolean): Promise<string> {
  const request = await askForDevice(party, name);
  return await getDeviceCode(party, request, { client: party.clients[name], isAllowed });
}

function device(name: ClientName): Base {
  return {
    name: `device ${name}`,
    withSession: true,
    lifeSeconds: undefined,
    make: (party) => askForDevice(party, name),
    foreign: foreignOf(name),
  };
}

/** The request of a device for its tokens. */
function pollFor(name: ClientName, how: { readonly isAllowed: boolean } = { isAllowed: true }): Base {
  return {
    name: `poll ${name}${how.isAllowed ? "" : " that waits"}`,
    withSession: true,
    lifeSeconds: 600,
    async make(party) {
      const fields: readonly Field[] = [
        ["grant_type", deviceGrant],
        ["device_code", await deviceCodeOf(party, name, how.isAllowed)],
      ];
      return await prove(party, name, form("token", fields));
    },
    foreign: foreignOf(name),
  };
}

const clientCredentials: Base = {
  name: "client_credentials machine",
  withSession: true,
  lifeSeconds: undefined,
  make: (party) => prove(party, "machine", form("token", [["grant_type", "client_credentials"]])),
  foreign: async () => undefined,
};

/** A request about an access token. */
function about(
  endpoint: "introspect" | "revoke",
  name: ClientName,
  kind: "access_token" | "refresh_token",
): Base {
  return {
    name: `${endpoint} ${kind} ${name}`,
    withSession: true,
    lifeSeconds: kind === "access_token" ? 3600 : undefined,
    async make(party) {
      const { [kind]: token = "" } = await getTokens(party, await redeem(party, name));
      const fields: readonly Field[] = [
        ["token", token],
        ["token_type_hint", kind],
      ];
      return await prove(party, name, form(endpoint, fields));
    },
    foreign: async (party, parameter) =>
      parameter === "client_id" || parameter === "client_secret"
        ? await foreignOf(name)(party, parameter)
        : undefined,
  };
}

const userinfo: Base = {
  name: "userinfo",
  withSession: true,
  lifeSeconds: 3600,
  async make(party) {
    const { access_token: token = "" } = await getTokens(party, await redeem(party, "basic"));
    const headers = { authorization: `Bearer ${token}` };
    return { endpoint: "userinfo", method: "GET", fields: [], headers };
  },
  foreign: async () => undefined,
};

/** Every good request that the oracle begins with. */
export const bases: readonly Base[] = [
  authorize("basic"),
  authorize("basic", { hasPkce: false }),
  authorize("public"),
  authorize("strict"),
  authorize("key", { method: "POST" }),
  authorize("basic", { more: [["prompt", "none"]] }),
  authorize("basic", { withSession: false, more: [["prompt", "none"]] }),
  authorize("public", { withSession: false }),
  authorize("basic", {
    more: [
      ["max_age", "3600"],
      ["response_mode", "query"],
    ],
  }),
  authorize("basic", { more: [["response_mode", "form_post"]] }),
  authorize("public", { method: "POST", more: [["response_mode", "form_post"]] }),
  authorize("basic", {
    withSession: false,
    more: [
      ["prompt", "none"],
      ["response_mode", "form_post"],
    ],
  }),
  push("basic"),
  push("post", { hasPkce: false }),
  push("key", { more: [["response_mode", "form_post"]] }),
  push("public"),
  bring("basic"),
  bring("public", { method: "POST" }),
  bring("post", { more: [["response_mode", "form_post"]] }),
  code("basic"),
  code("basic", { hasPkce: false }),
  code("post"),
  code("key"),
  code("public"),
  refresh("basic"),
  refresh("post"),
  refresh("key"),
  refresh("public"),
  clientCredentials,
  about("introspect", "basic", "access_token"),
  about("introspect", "key", "refresh_token"),
  about("revoke", "post", "access_token"),
  about("revoke", "public", "refresh_token"),
  userinfo,
  device("basic"),
  device("post"),
  device("key"),
  device("public"),
  pollFor("basic"),
  pollFor("post"),
  pollFor("key"),
  pollFor("public"),
  pollFor("public", { isAllowed: false }),
];
