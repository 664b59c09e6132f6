import type { Guard } from "./guards.ts";

const knownClients = "test/sites/oidc/clients/known-clients.test.ts";

/** What keeps a client that is remembered from being taken for what it was. */
export const knownClientGuards: readonly Guard[] = [
  {
    name: "oidc: a client that is remembered is forgotten when it changes",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [["if (watch.committed() !== revision) known.clear();", ""]],
    in: knownClients,
    test: "until it has another secret",
  },
  {
    name: "oidc: what other processes have changed of a client is learned first",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [["if (known.has(clientId)) await database.refresh();", ""]],
    in: knownClients,
    test: "what others have changed",
  },
  {
    name: "oidc: a client that changed while it was read is not remembered",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [[" || watch.committed() !== seenAt", ""]],
    in: knownClients,
    test: "changes while it is read",
  },
  {
    name: "oidc: a client is not remembered beyond the expiration of a key or secret",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [[" && lookup.nowMs < found.endMs", ""]],
    in: knownClients,
    test: "expires, and not longer",
  },
  {
    name: "oidc: a client is forgotten when the first of its keys expires, not the last",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [["Math.min(...[...keys, secret]", "Math.max(...[...keys, secret]"]],
    in: knownClients,
    test: "a key of a service user expires",
  },
  {
    name: "oidc: a client is forgotten when its secret expires, not only its keys",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [["[...keys, secret]", "[...keys]"]],
    in: knownClients,
    test: "the secret of a service user expires",
  },
  {
    name: "oidc: a service user is forgotten when its keys change",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [['  "credentials",\n', ""]],
    in: knownClients,
    test: "it has another key",
  },
  {
    name: "oidc: an application is forgotten when its keys change",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [['  "application_keys",\n', ""]],
    in: knownClients,
    test: "an application with keys",
  },
  {
    name: "oidc: a service user is forgotten when it is locked",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [['  "stored_users",\n', ""]],
    in: knownClients,
    test: "it was locked",
  },
  {
    name: "oidc: a client is forgotten when its organization is deactivated",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [['  "stored_organizations",\n', ""]],
    in: knownClients,
    test: "its organization was deactivated",
  },
  {
    name: "oidc: the console is not remembered: its addresses follow from the issuer",
    file: "src/sites/oidc/clients/known-clients.ts",
    changes: [[" || isConsole(clientId)", ""]],
    in: knownClients,
    test: "the console, and clients that do not exist",
  },
];
