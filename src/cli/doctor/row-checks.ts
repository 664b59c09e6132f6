import { createHash } from "node:crypto";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Keyring } from "../../kernel/base/keyring.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import {
  checksumOfEvent,
  checksumOfSecret,
  type EventColumns,
  type SecretColumns,
} from "../../kernel/events/checksum.ts";
import { readEventsOf, type Unreadable } from "../../kernel/events/event-row.ts";
import { createPersonalData } from "../../kernel/events/personal-data.ts";
import { type Finding, toFinding } from "../../kernel/storage/finding.ts";

type Checked<Columns> = Columns & { readonly checksum: number | null };

/** An event may hold a document of 500 kB. */
const eventsAtOnce = 50;
const secretsAtOnce = 500;
const digestDigits = 32;

/** Compares each row that cannot be rebuilt with its checksum. Rows of earlier versions have none. */
export async function checkChecksums(tx: ReadTransaction): Promise<Finding> {
  const differing: string[] = [];
  const counts = { rows: 0, without: 0 };
  const all = createHash("sha256");
  const checkRow = (name: string, stored: number | null, expected: number) => {
    counts.rows += 1;
    all.update(`${name} ${expected}\n`);
    if (stored === null) counts.without += 1;
    else if (stored !== expected) differing.push(name);
  };
  for await (const row of walkEvents(tx))
    checkRow(`the event ${row.sequence}`, row.checksum, checksumOfEvent(row));
  for await (const row of walkSecrets(tx))
    checkRow(`the secret ${row.id}`, row.checksum, checksumOfSecret(row));
  const fault =
    differing.length === 0
      ? undefined
      : `${differing.length} of ${counts.rows} rows have changed since they were written, the first is ${differing[0]}; restore a backup`;
  const without =
    counts.without === 0 ? "" : `, ${counts.without} rows of an earlier version have no checksum`;
  const digest = all.digest("hex").slice(0, digestDigits); // the same for a copy of the place
  return toFinding(
    "checksums",
    fault,
    `${counts.rows} events and secrets are unchanged, digest ${digest}${without}`,
  );
}

/** Decrypts the encrypted values of each event. */
export async function checkSealed(tx: ReadTransaction, keyring: Keyring): Promise<Finding> {
  const personalData = createPersonalData(keyring, systemRandom);
  const closed: Unreadable[] = [];
  const onUnreadable = (found: readonly Unreadable[]) => void closed.push(...found);
  let count = 0;
  let sequences = await listSealed(tx, 0);
  while (sequences.length > 0) {
    count += sequences.length;
    await readEventsOf(tx, { personalData, onUnreadable }, sequences);
    sequences = await listSealed(tx, sequences.at(-1) ?? 0);
  }
  const [first] = closed;
  const fault =
    first === undefined
      ? undefined
      : `${closed.length} values cannot be read, the first is ${first.column} of the event ${first.sequence}; restore a backup`;
  return toFinding("sealed values", fault, `${count} events with personal data or an address can be read`);
}

async function listSealed(tx: ReadTransaction, after: number): Promise<readonly number[]> {
  const rows = await tx.all<{ sequence: number }>(
    `SELECT sequence FROM events WHERE sequence > ?
       AND (personal IS NOT NULL OR remote_address IS NOT NULL OR remote_address_of IS NOT NULL)
     ORDER BY sequence LIMIT ${eventsAtOnce}`,
    [after],
  );
  return rows.map(({ sequence }) => sequence);
}

async function* walkEvents(tx: ReadTransaction): AsyncGenerator<Checked<EventColumns>, void, undefined> {
  const read = (after: number) =>
    tx.all<Checked<EventColumns>>(
      `SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ${eventsAtOnce}`,
      [after],
    );
  let rows = await read(Number.MIN_SAFE_INTEGER);
  while (rows.length > 0) {
    yield* rows;
    rows = await read(rows.at(-1)?.sequence ?? 0);
  }
}

async function* walkSecrets(tx: ReadTransaction): AsyncGenerator<Checked<SecretColumns>, void, undefined> {
  const read = (after: string) =>
    tx.all<Checked<SecretColumns>>(`SELECT * FROM secrets WHERE id > ? ORDER BY id LIMIT ${secretsAtOnce}`, [
      after,
    ]);
  let rows = await read("");
  while (rows.length > 0) {
    yield* rows;
    rows = await read(rows.at(-1)?.id ?? "");
  }
}
