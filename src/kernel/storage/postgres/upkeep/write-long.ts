import type { WriteTransaction } from "../../../base/database.ts";
import { DatabaseUnusableError } from "../../database-unusable.ts";
import type { Connector } from "../connect/connector.ts";
import type { SectionFacts } from "../connect/fence.ts";
import { destroySession } from "../connect/open-session.ts";
import { sectionFacts } from "../connect/server-facts.ts";
import { createLongTransaction } from "./long-transaction.ts";

/**
 * Runs `fn` in one transaction, however long it takes. It holds the row that every write locks first, so writes of all processes
 * wait, and afterwards each process checks all tables again.
 */
export async function writeLong<T>(
  connector: Connector,
  giveUpAfterMs: number,
  fn: (tx: WriteTransaction) => Promise<T>,
): Promise<T> {
  const { client } = await connector.connect("migration", { giveUpAfterMs });
  let isReplicated = true;
  client.on("notice", ({ code }) => {
    if (code === "01000") isReplicated = false; // that the commit did not wait for the standby
  });
  try {
    await client.query("BEGIN");
    const { rows } = await client.query<SectionFacts>(`SELECT ${sectionFacts} FROM log_position FOR UPDATE`);
    if (rows[0] !== undefined) connector.fence.require(rows[0]);
    const tx = createLongTransaction(client);
    const result = await fn(tx);
    await tx.settled();
    await client.query("UPDATE log_position SET access_version = access_version + 1");
    const { command } = await client.query("COMMIT");
    if (command !== "COMMIT") throw new Error(`the server answered COMMIT with ${command}`);
    if (!isReplicated)
      throw new DatabaseUnusableError("it is done, but a standby may not have it yet; do it again");
    return result;
  } finally {
    destroySession(client); // which rolls back what was not committed
  }
}
