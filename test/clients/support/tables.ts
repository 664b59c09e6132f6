/** What programs of one kind are tried with. */
export type TableName = "logins" | "resources" | "apis" | "registration" | "mcp" | "fapi";

/** A table: what a program can say that came of each step. */
interface Table {
  readonly title: string;
  /** The steps, in the order of the table, and what the table calls them. A step that a program does not have is absent. */
  readonly steps: Readonly<Record<string, string>>;
}

/** All of them, in their order. */
export const tables: Readonly<Record<TableName, Table>> = {
  logins: {
    title: "Logins",
    steps: {
      login: "login",
      userinfo: "userinfo",
      refresh: "refresh",
      introspection: "introspection",
      jwt: "JWT access token",
      logout: "logout",
    },
  },
  resources: {
    title: "Tokens for APIs",
    steps: {
      both: "two resources at once",
      one: "one of them",
      narrow: "fewer scopes at refresh",
      target: "refused for an unknown one",
    },
  },
  apis: {
    title: "APIs",
    steps: { own: "takes a token for it", other: "refuses one for another API", none: "refuses none" },
  },
  registration: {
    title: "Clients that register themselves",
    steps: {
      login: "login",
      userinfo: "userinfo",
      refresh: "refresh",
      redirect: "refused with a wrong redirect URI",
    },
  },
  mcp: {
    title: "MCP",
    steps: {
      document: "client with a document",
      registered: "client that registers itself",
      stepUp: "more scopes by insufficient_scope",
      refresh: "refresh",
      other: "refused by another server",
    },
  },
  fapi: {
    title: "FAPI 2.0",
    steps: {
      login: "login (PAR, PKCE, private_key_jwt, DPoP)",
      userinfo: "userinfo",
      refresh: "refresh keeps the token",
      push: "not pushed",
      client: "pushed by nobody",
      pkce: "no PKCE",
      audience: "assertion for an endpoint",
      algorithm: "assertion by RS256",
      proof: "no proof",
      proofAlgorithm: "proof by RS256",
      binding: "proof of another key",
      bearer: "bound token as Bearer",
      reuse: "code twice",
    },
  },
};
