import { toInstant } from "../../src/kernel/base/clock.ts";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ReadTransaction, SqlValue } from "../../src/kernel/base/database.ts";
import { createKeyring, parseMasterKeys } from "../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../src/kernel/base/random.ts";
import { createPersonalData, type PersonalData } from "../../src/kernel/events/personal-data.ts";
import { copyDataFolder } from "../process/support/tables.ts";
import type { Canaries, Canary, CanaryKind } from "./canaries.ts";
import { createSearch, spellingsOf } from "./canary-search.ts";
import type { RawConnection } from "./engine/engine.ts";
import { openRaw } from "./engine/sqlite-engine.ts";
import { makeTemporaryFolder } from "./temporary.ts";

/** A canary in a place where it must not be: `client_secret in gatehouse.db`. */
export type Leak = string;

/** Looks for canaries. */
export interface Scanner {
  /** Returns the leaks in text or bytes. `place` is what the report calls it. */
  scan(place: string, content: string | Uint8Array, kinds: readonly CanaryKind[]): readonly Leak[];
}

/** Files whose purpose it is to hold secrets. The outboxes take the place of a telephone and a mailbox, in local mode only. */
const filesWithSecrets = new Set(["master.key", "admin.token", "sms.jsonl", "mail.jsonl"]);

const secret: readonly CanaryKind[] = ["secret", "code"];
const secretOrHash: readonly CanaryKind[] = ["secret", "hash", "code"];
const secretOrPersonal: readonly CanaryKind[] = ["secret", "hash", "code", "personal"];
const everything: readonly CanaryKind[] = ["secret", "hash", "code", "personal", "word"];

/** Returns a scanner for the canaries that are known now. */
export function createScanner(canaries: readonly Canary[]): Scanner {
  const searches = everything.map((kind) => createKindSearch(kind, canaries));
  return {
    scan(place, content, kinds) {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      const leaks = new Set<Leak>();
      for (const { kind, findNames } of searches)
        if (kinds.includes(kind)) for (const name of findNames(bytes)) leaks.add(`${name} in ${place}`);
      return [...leaks];
    },
  };
}

/** Each kind is looked for on its own: a short word makes a search slow, and is looked for in few places. */
function createKindSearch(kind: CanaryKind, canaries: readonly Canary[]) {
  const searched = canaries.filter((canary) => canary.kind === kind);
  const search = createSearch(searched.map(spellingsFor));
  const findNames = (bytes: Uint8Array): readonly string[] =>
    [...search.findIn(bytes, kind === "code" ? isWord : undefined)].flatMap(
      (index) => searched[index]?.name ?? [],
    );
  return { kind, findNames };
}

/** A test file looks for its canaries at the end of each service, and for those of the services before. */
const spelled = new WeakMap<Canary, readonly Uint8Array[]>();

function spellingsFor(canary: Canary): readonly Uint8Array[] {
  const spellings = spelled.get(canary) ?? spell(canary);
  spelled.set(canary, spellings);
  return spellings;
}

function spell({ kind, value }: Canary): readonly Uint8Array[] {
  switch (kind) {
    case "word":
      return [Buffer.from(JSON.stringify(value.toString("utf8")))];
    case "code":
      return [value];
    case "secret":
    case "hash":
    case "personal":
      return spellingsOf(value);
  }
}

/**
 * Says whether no letter or digit stands beside it. The eight digits of a code stand in ids, sequences and hashes by chance,
 * and in the base64 of those; as a word, none of them has eight.
 */
function isWord(bytes: Uint8Array, start: number, end: number): boolean {
  return !isLetterOrDigit(bytes[start - 1]) && !isLetterOrDigit(bytes[end]);
}

function isLetterOrDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}

/** Looks through what the service wrote to its log. */
export function scanLog(scanner: Scanner, log: string): readonly Leak[] {
  return scanner.scan("the log", log, everything);
}

/** Looks through what the clients got. Personal data may be in it: callers read it, and get back what they sent. */
export function scanReceived(scanner: Scanner, canaries: Canaries): readonly Leak[] {
  return scanner.scan("an answer or an error", canaries.takeReceived().join("\n"), secretOrHash);
}

/** Looks through /metrics. */
export function scanMetrics(scanner: Scanner, text: string): readonly Leak[] {
  return scanner.scan("/metrics", text, secretOrPersonal);
}

/** Looks through /openapi.json. Its examples are not personal data, though tests may use the same. */
export function scanOpenApi(scanner: Scanner, text: string): readonly Leak[] {
  return scanner.scan("/openapi.json", text, secret);
}

/** Takes the keys, the token and the sent codes of a data folder among the canaries. */
export function noteDataFolder(canaries: Canaries, folder: string): void {
  const read = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "";
  for (const [, key = ""] of read("master.key").matchAll(/^\S+ (\S+)/gm))
    canaries.add("master key", Buffer.from(key, "base64"));
  const token = read("admin.token").trim();
  if (token !== "") canaries.noteAuthorization(`Bearer ${token}`);
  for (const [code] of read("sms.jsonl").matchAll(/\b\d{8}\b/g)) canaries.addCode(code);
  for (const [code] of read("mail.jsonl").matchAll(/\b(?:\d{8}|[A-Z2-7]{20})\b/g)) canaries.addCode(code);
}

/** Looks through every file of a data folder, byte by byte. Also while the service runs. */
export function scanFiles(scanner: Scanner, folder: string): readonly Leak[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .filter(({ name }) => !filesWithSecrets.has(name))
    .flatMap(({ name, parentPath }) => {
      const file = join(parentPath, name);
      // A write-ahead log goes away when the database is closed.
      return existsSync(file) ? scanner.scan(name, readFileSync(file), secret) : [];
    });
}

/** Looks through the tables in a data folder that a process has left. */
export async function scanFolder(scanner: Scanner, folder: string): Promise<readonly Leak[]> {
  if (!existsSync(join(folder, "gatehouse.db"))) return [];
  const parent = makeTemporaryFolder();
  try {
    // What opens the copy recovers it; the original stays as the process left it.
    const { raw, connection } = openRaw(join(copyDataFolder(folder, parent.path), "gatehouse.db"));
    try {
      return await scanTables(scanner, raw, folder);
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isDamaged(error)) return []; // a test has damaged it; its bytes were looked through all the same
    throw error;
  } finally {
    parent.remove();
  }
}

/** By its shape: the driver raises errors of the class that was handed to it first, which may be another file's. */
function isDamaged(error: unknown): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return /^(ENOENT|SQLITE_(NOTADB|CORRUPT|CANTOPEN|IOERR).*)$/.test(code);
}

/** Looks through every cell of every table, and through the events as they are when decrypted with the keys of the folder. */
export async function scanTables(
  scanner: Scanner,
  raw: RawConnection,
  folder: string,
): Promise<readonly Leak[]> {
  const keys = readFileSync(join(folder, "master.key"), "utf8");
  const leaks = Object.entries(await raw.dump()).flatMap(([table, rows]) =>
    scanner.scan(
      `the table ${table}`,
      joined(rows.map((row) => Object.values(row) as Cell[])), // what columns can hold
      kindsNotIn(table),
    ),
  );
  return [...leaks, ...(await scanEvents(scanner, raw, keys))];
}

function kindsNotIn(table: string): readonly CanaryKind[] {
  if (table === "events") return secretOrPersonal;
  return table === "secrets" ? secret : secretOrHash;
}

type Cell = string | number | Buffer | null;

/** Cells stand apart, so that the end of one and the beginning of the next make no other word. */
function joined(rows: readonly (readonly Cell[])[]): Buffer {
  const cells = rows.flat();
  const blobs = cells.filter((cell) => Buffer.isBuffer(cell)).flatMap((blob) => [blob, separator]);
  const text = cells.filter((cell) => !Buffer.isBuffer(cell)).join("\n");
  return Buffer.concat([...blobs, Buffer.from(text)]);
}

const separator = Buffer.from("\n");

interface EventRow {
  readonly aggregate_id: string;
  readonly type: string;
  readonly version: number;
  readonly editor: string;
  readonly payload: string;
  readonly personal: Uint8Array | null;
  readonly remote_address: Uint8Array | null;
}

async function scanEvents(scanner: Scanner, raw: RawConnection, keys: string): Promise<readonly Leak[]> {
  const personalData = openPersonalData(keys);
  const tx = createReading(raw);
  const rows = await raw.peek<EventRow>("SELECT * FROM events");
  const ofUsers = rows.filter(({ type }) => type.startsWith("user.")).map(({ payload }) => payload);
  const decrypted: (string | undefined)[] = [];
  const openIfWhole = async (userId: string, sealed: Uint8Array, context: string) => {
    try {
      return await personalData?.open(tx, userId, sealed, context);
    } catch {
      return undefined; // a test has damaged the value or its key: nobody can read it
    }
  };
  for (const { aggregate_id, type, version, editor, personal, remote_address } of rows) {
    const context = `${aggregate_id}${type}${version}`;
    if (personal !== null) decrypted.push(await openIfWhole(aggregate_id, personal, context));
    if (remote_address !== null)
      decrypted.push(await openIfWhole(editor, remote_address, `${context}remote_address`));
  }
  return [
    ...scanner.scan("the clear part of an event", ofUsers.join("\n"), everything),
    ...scanner.scan("the personal part of an event", decrypted.join("\n"), secret),
  ];
}

/** Returns undefined when a test has damaged the file of the master key: then nobody can read anything. */
function openPersonalData(keys: string): PersonalData | undefined {
  try {
    return createPersonalData(createKeyring(parseMasterKeys(keys), systemRandom), systemRandom);
  } catch {
    return undefined;
  }
}

/** Reads keep the keys of users that they have found: every event asks for one. */
function createReading(raw: RawConnection): ReadTransaction {
  const rows = new Map<string, unknown>();
  return {
    now: () => toInstant(0),
    async get<Row>(sql: string, parameters: readonly SqlValue[] = []) {
      const key = `${sql} ${JSON.stringify(parameters)}`;
      if (!rows.has(key)) rows.set(key, (await raw.peek(sql, parameters))[0]);
      return rows.get(key) as Row | undefined; // as the caller knows the statement
    },
    all: async <Row>(sql: string, parameters: readonly SqlValue[] = []) =>
      (await raw.peek(sql, parameters)) as readonly Row[], // as the caller knows the statement
  };
}

/** Throws when there are leaks, with what leaked and where. */
export function refuseLeaks(leaks: readonly Leak[]): void {
  if (leaks.length === 0) return;
  throw new Error(`secrets or personal data where they must not be:\n  ${[...new Set(leaks)].join("\n  ")}`);
}
