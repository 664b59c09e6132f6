import type { Database } from "../../../kernel/base/database.ts";
import { isConsole } from "../../../identity/applications/oidc/console.ts";
import type { Client } from "./client.ts";
import { type ClientLookup, findClient } from "./repository.ts";

/** Finds a client by its id, whatever its state, as it is at this moment. */
export type FindClient = (clientId: string, lookup: ClientLookup) => Promise<Client | undefined>;

/** The tables that say what a client is, which keys and which secret it has, and whether it and all around it are active. */
const clientTables = [
  "application_keys",
  "credentials",
  "external_client_settings",
  "secrets",
  "stored_applications",
  "stored_organizations",
  "stored_projects",
  "stored_users",
];

/** A client takes a few kilobytes; twenty keys of RSA with 8192 bits add 30. */
const maxKnown = 1000;

interface Known {
  readonly client: Client;
  /** When the first of its keys or its secret expires. */
  readonly endMs: number;
}

/**
 * Creates a look-up that remembers clients until the next commit that writes to one of `clientTables`, of whatever process, and each
 * client until the first of its keys, or its secret, expires. So a key or a secret that was removed a moment ago is refused. The
 * console is read each time: its addresses follow from the issuer. Beyond `limit` clients everything is forgotten.
 */
export function createKnownClients(
  database: Pick<Database, "read" | "refresh" | "watch">,
  limit = maxKnown,
): FindClient {
  const watch = database.watch(clientTables);
  const known = new Map<string, Known>();
  let revision = watch.committed();
  return async (clientId, lookup) => {
    // What other processes have committed. A read learns it by itself.
    if (known.has(clientId)) await database.refresh();
    if (watch.committed() !== revision) known.clear();
    const seenAt = (revision = watch.committed());
    const found = known.get(clientId);
    if (found !== undefined && lookup.nowMs < found.endMs) return found.client;
    const client = await database.read((tx) => findClient(tx, clientId, lookup));
    if (client === undefined || isConsole(clientId) || watch.committed() !== seenAt) return client;
    if (known.size >= limit) known.clear();
    known.set(clientId, { client, endMs: endOf(client) });
    return client;
  };
}

/** Returns when the client is not what it was although nothing was committed; Infinity: never. */
function endOf({ keys, secret }: Client): number {
  return Math.min(...[...keys, secret].map((credential) => credential?.expirationMs ?? Infinity));
}
