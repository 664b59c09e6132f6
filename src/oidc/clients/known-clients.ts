import type { Database } from "../../base/database.ts";
import type { Client } from "./client.ts";
import { type ClientLookup, findClient } from "./repository.ts";

/** Finds a client by its id, whatever its state, as it is at this moment. */
export type FindClient = (clientId: string, lookup: ClientLookup) => Promise<Client | undefined>;

/** The tables that say what an application is, which secret it has, and whether it and all around it are active. */
const clientTables = ["secrets", "stored_applications", "stored_organizations", "stored_projects"];

/** An application takes a few kilobytes. */
const maxKnown = 1000;

/**
 * Creates a look-up that remembers applications until the next commit that writes to one of `clientTables`, of whatever process. So a
 * secret that was replaced a moment ago is refused. Beyond `limit` applications everything is forgotten.
 */
export function createKnownClients(
  database: Pick<Database, "read" | "refresh" | "watch">,
  limit = maxKnown,
): FindClient {
  const watch = database.watch(clientTables);
  const known = new Map<string, Client>();
  let revision = watch.committed();
  return async (clientId, lookup) => {
    // What other processes have committed. A read learns it by itself.
    if (known.has(clientId)) await database.refresh();
    if (watch.committed() !== revision) known.clear();
    const seenAt = (revision = watch.committed());
    const found = known.get(clientId);
    if (found !== undefined) return found;
    const client = await database.read((tx) => findClient(tx, clientId, lookup));
    if (client === undefined || !isLasting(client) || watch.committed() !== seenAt) return client;
    if (known.size >= limit) known.clear();
    known.set(clientId, client);
    return client;
  };
}

/** Says whether only a commit changes a client: keys expire, and the addresses of the console follow from the issuer. */
function isLasting(client: Client): boolean {
  return client.kind !== "service-user" && client.place !== undefined && client.method !== "PRIVATE_KEY_JWT";
}
