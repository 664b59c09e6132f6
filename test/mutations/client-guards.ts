import type { Guard } from "./guards.ts";

const hostile = "test/sites/oidc/hostile.test.ts";
const clients = "test/sites/oidc/clients.test.ts";

/** What keeps others from being taken for a client. */
export const clientGuards: readonly Guard[] = [
  {
    name: "clients: a wrong secret is counted once, however it can be read",
    file: "src/sites/oidc/clients/authentication.ts",
    change: [
      "  if (client === undefined || proved === undefined)\n",
      `  if (credentials.kind === "secret" && proved === undefined)
    for (const _each of credentials.spellings)
      await refuseWrongTry(context, { clientId: client?.id, remoteAddress: request.remoteAddress });
  if (client === undefined || proved === undefined)
`,
    ],
    in: clients,
    test: "by its secret in either way",
  },
  {
    name: "clients: an empty secret is none",
    file: "src/sites/oidc/clients/client-credentials.ts",
    change: ['if (raw === "") return { kind: "none", clientId };', ""],
    in: clients,
    test: "NONE, which only names itself",
  },
  {
    name: "oidc: an assertion without iat lives for an hour at most",
    file: "src/sites/oidc/clients/assertion.ts",
    change: [
      "if (issuedSeconds === undefined && expirationSeconds",
      "if (issuedSeconds === null && expirationSeconds",
    ],
    in: hostile,
    test: "without iat, for more than an hour",
  },
  {
    name: "clients: only a public client just names itself",
    file: "src/sites/oidc/clients/authentication.ts",
    change: ['client.method === "NONE"', "client.method !== undefined"],
    in: clients,
    test: "BASIC",
  },
  {
    name: "clients: keys count for the method of keys alone",
    file: "src/sites/oidc/clients/repository.ts",
    change: ['method === "PRIVATE_KEY_JWT"', "method !== undefined"],
    in: clients,
    test: "BASIC",
  },
  {
    name: "clients: what is not active is refused",
    file: "src/sites/oidc/clients/authentication.ts",
    change: ["if (!client.isActive)", "if (client.name === undefined)"],
    in: clients,
    test: "not active",
  },
  {
    name: "clients: an application acts for nobody with client_credentials",
    file: "src/sites/oidc/clients/authentication.ts",
    change: ['client.kind !== "service-user" || credential === undefined', "credential === undefined"],
    in: clients,
    test: "client_credentials",
  },
  {
    name: "clients: an application acts for nobody with jwt-bearer",
    file: "src/sites/oidc/grants/jwt-bearer.ts",
    change: ['found?.kind === "service-user" ? found : undefined', "found"],
    in: clients,
    test: "jwt-bearer",
  },
];
