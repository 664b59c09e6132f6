import type { Client } from "pg";
import { ServerRefusedError } from "./errors.ts";
import { type PostgresHost, toHostText } from "./hosts.ts";

/**
 * Call it for each new connection, with the number of the server process behind it. Throws ServerRefusedError for a pooler
 * that lends its connections to the server for one transaction each, such as pgbouncer with `pool_mode=transaction`:
 * prepared statements, settings and advisory locks of the session would belong to the next client.
 */
export type PoolerCheck = (client: Client, server: PostgresHost, backendPid: number) => void;

/**
 * Creates the check. A pooler names numbers of its own to its clients (BackendKeyData, PostgreSQL §55.2.1); one server process
 * behind two of our connections at once shows in which mode it is. So a service learns it at its start, which makes several.
 */
export function createPoolerCheck(): PoolerCheck {
  const held = new Set<string>();
  return (client, server, backendPid) => {
    // The driver has the number for cancelling a statement; its types leave it out.
    const { processID } = client as unknown as { readonly processID: number | null };
    if (processID === backendPid) return;
    const backend = `${toHostText(server)}/${backendPid}`;
    if (held.has(backend)) {
      throw new ServerRefusedError(
        "it is a pooler in transaction mode; connect to PostgreSQL itself, or let the pooler keep a connection for each session (pool_mode=session)",
      );
    }
    held.add(backend);
    client.once("end", () => held.delete(backend));
  };
}
