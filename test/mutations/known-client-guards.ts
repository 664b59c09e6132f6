import type { Guard } from "./guards.ts";

const knownClients = "test/sites/oidc/clients/known-clients.test.ts";

/** What keeps a client that is remembered from being taken for what it was. */
export const knownClientGuards: readonly Guard[] = [
  {
    name: "oidc: a client that is remembered is forgotten when it changes",
    file: "src/sites/oidc/clients/known-clients.ts",
    change: ["if (watch.committed() !== revision) known.clear();", ""],
    in: knownClients,
    test: "until it has another secret",
  },
  {
    name: "oidc: what other processes have changed of a client is learned first",
    file: "src/sites/oidc/clients/known-clients.ts",
    change: ["if (known.has(clientId)) await database.refresh();", ""],
    in: knownClients,
    test: "what others have changed",
  },
  {
    name: "oidc: a client that changed while it was read is not remembered",
    file: "src/sites/oidc/clients/known-clients.ts",
    change: [" || watch.committed() !== seenAt", ""],
    in: knownClients,
    test: "changes while it is read",
  },
  {
    name: "oidc: a client is not remembered beyond the expiration of a key or secret",
    file: "src/sites/oidc/clients/known-clients.ts",
    change: [" && lookup.nowMs < found.endMs", ""],
    in: knownClients,
    test: "expires, and not longer",
  },
  {
    name: "oidc: a service user is forgotten when it is locked",
    file: "src/sites/oidc/clients/known-clients.ts",
    change: ['  "stored_users",\n', ""],
    in: knownClients,
    test: "it was locked",
  },
  {
    name: "oidc: a client is forgotten when its organization is deactivated",
    file: "src/sites/oidc/clients/known-clients.ts",
    change: ['  "stored_organizations",\n', ""],
    in: knownClients,
    test: "its organization was deactivated",
  },
];
