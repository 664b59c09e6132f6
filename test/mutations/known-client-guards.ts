import type { Guard } from "./guards.ts";

const knownClients = "test/oidc/clients/known-clients.test.ts";

/** What keeps an application that is remembered from being taken for what it was. */
export const knownClientGuards: readonly Guard[] = [
  {
    name: "oidc: an application that is remembered is forgotten when it changes",
    file: "src/oidc/clients/known-clients.ts",
    changes: [["if (watch.committed() !== revision) known.clear();", ""]],
    in: knownClients,
    test: "until it has another secret",
  },
  {
    name: "oidc: what other processes have changed of an application is learned first",
    file: "src/oidc/clients/known-clients.ts",
    changes: [["if (known.has(clientId)) await database.refresh();", ""]],
    in: knownClients,
    test: "what others have changed",
  },
  {
    name: "oidc: an application that changed while it was read is not remembered",
    file: "src/oidc/clients/known-clients.ts",
    changes: [[" || watch.committed() !== seenAt", ""]],
    in: knownClients,
    test: "changes while it is read",
  },
  {
    name: "oidc: clients whose keys expire are not remembered",
    file: "src/oidc/clients/known-clients.ts",
    changes: [[' && client.method !== "PRIVATE_KEY_JWT"', ""]],
    in: knownClients,
    test: "changes without a commit",
  },
];
