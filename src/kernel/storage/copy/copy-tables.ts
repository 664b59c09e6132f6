import { digestOf, digestTable, type TableDigest } from "./digest.ts";
import {
  CopyError,
  type Derived,
  type RowStore,
  type RowTable,
  schemaNumberOf,
  type SettingChanges,
} from "./rows.ts";
import { parseSeal, type Seal, sealSetting } from "./seal.ts";

/** A place whose tables take part in a copy. */
export interface CopySide {
  /** As it is named to a person. */
  readonly name: string;
  readonly rows: RowStore;
}

/** What is copied, and how. */
export interface CopyOptions {
  readonly source: CopySide;
  readonly target: CopySide;
  /** Draws the id of a new copy. */
  readonly newId: () => string;
  /** The settings of the target that are not those of the source; undefined deletes the row. */
  readonly ownSettings: SettingChanges;
  /** Rows of one transaction of the target. Absent: 50,000. */
  readonly rowsAtOnce?: number | undefined;
  /** Is called when a step begins or ends. */
  readonly tell: (event: CopyProgress) => Promise<void>;
}

/** What a copy has done. */
export type CopyProgress =
  | { readonly kind: "begun"; readonly state: "new" | "resumed" | "done" }
  | { readonly kind: "loaded"; readonly rows: number; readonly tables: number }
  | { readonly kind: "indexed"; readonly count: number }
  | { readonly kind: "compared"; readonly rows: number; readonly tables: number; readonly digest: string };

/** Rows of the target that only the copy needs. */
const positionSetting = "copy-position";
const derivedSetting = "copy-indexes";

/** So that at most a few seconds of work are done again after an interruption. */
const defaultRowsAtOnce = 50_000;
const charactersAtOnce = 2 ** 25;

/** How far the rows have come: all tables before this one in order, and this one up to the row with this key. */
interface Position {
  readonly schema: number;
  readonly table: string;
  readonly after?: readonly string[] | undefined;
}

/**
 * Copies all tables, makes the indexes, and compares both places row by row. The source is sealed from the first row on, so nothing
 * changes in it, and stays sealed; the target is sealed until it is equal. A copy that was interrupted goes on where it was. Nobody else
 * may use the places meanwhile. Throws CopyError if the target holds something else, or differs from the source afterwards.
 */
export async function copyTables(options: CopyOptions): Promise<void> {
  const { source, target, tell } = options;
  const tables = await source.rows.listTables();
  const schema = schemaNumberOf(tables);
  if (schema !== schemaNumberOf(await target.rows.listTables()))
    throw new CopyError(`the tables of ${target.name} are not those of this program; make it empty`);
  const seal = await begin(options, schema);
  if (seal.isDone) {
    await sealSource(options, seal);
    return;
  }
  const loaded = await loadTables(options, tables, schema);
  await tell({ kind: "loaded", ...loaded });
  const derived = parseDerived((await target.rows.readSettings()).get(derivedSetting));
  await target.rows.makeDerived(derived);
  await tell({ kind: "indexed", count: derived.length });
  await tell({ kind: "compared", ...(await requireEqual(options, tables)) });
  await target.rows.finish();
  await finishSettings(options, seal);
  await sealSource(options, seal);
}

/** Seals both places, or finds how far the same copy has come. Returns the seal of the target. */
async function begin(options: CopyOptions, schema: number): Promise<Seal> {
  const { source, target, newId, tell } = options;
  const [ofSource, settings] = await Promise.all([source.rows.readSettings(), target.rows.readSettings()]);
  const [sealed, found] = [ofSource, settings].map((each) => parseSeal(each.get(sealSetting)));
  if (sealed?.role === "target" && !sealed.isDone)
    throw new CopyError(`${source.name} is the unfinished copy of ${sealed.other}; finish that first`);
  const isSame = found?.role === "target" && sealed?.role === "source" && found.id === sealed.id;
  const isBegun = settings.has(positionSetting);
  if (isSame && (found.isDone || isBegun)) {
    if (isBegun && parsePosition(settings.get(positionSetting))?.schema !== schema)
      throw new CopyError(
        `${target.name} was begun by another version of this program; make it empty, and run the copy again`,
      );
    await tell({ kind: "begun", state: found.isDone ? "done" : "resumed" });
    return found;
  }
  if (settings.has("instance_id") || (found !== undefined && !isSame))
    throw new CopyError(whyNotEmpty(target.name, found));
  const id = found?.id ?? newId();
  await source.rows.changeSettings(
    new Map([[sealSetting, toText({ id, role: "source", other: target.name, isDone: false })]]),
  );
  const seal: Seal = { id, role: "target", other: source.name, isDone: false };
  await prepare(target.rows, seal, schema);
  await tell({ kind: "begun", state: "new" });
  return seal;
}

function whyNotEmpty(name: string, found: Seal | undefined): string {
  return found === undefined || found.isDone
    ? `there is already an installation in ${name}; name an empty place`
    : `${name} holds an unfinished copy of another state of ${found.other}; make it empty, and run the copy again`;
}

/** Removes what slows down the loading, and the rows that migrations have made. Only the last step says that rows may be loaded. */
async function prepare(rows: RowStore, seal: Seal, schema: number): Promise<void> {
  const noted = (await rows.readSettings()).get(derivedSetting); // by a try that was interrupted, which may have removed some
  const derived = noted === undefined ? await rows.listDerived() : parseDerived(noted);
  await rows.changeSettings(
    new Map([
      [sealSetting, toText(seal)],
      [derivedSetting, JSON.stringify(derived)],
    ]),
  );
  await rows.dropDerived(derived);
  await rows.clear(await rows.listTables());
  const position: Position = { schema, table: "" };
  await rows.changeSettings(new Map([[positionSetting, JSON.stringify(position)]]));
}

async function loadTables(
  { source, target, rowsAtOnce = defaultRowsAtOnce }: CopyOptions,
  tables: readonly RowTable[],
  schema: number,
): Promise<{ readonly rows: number; readonly tables: number }> {
  let position = parsePosition((await target.rows.readSettings()).get(positionSetting));
  let rows = 0;
  for (const table of tables) {
    if (position !== undefined && table.name < position.table) continue;
    const after = position?.table === table.name ? position.after : undefined;
    const portions = createPortions(source.rows.read(table, after), rowsAtOnce);
    const at = keyPositionsOf(table);
    try {
      while (await portions.hasMore()) {
        await target.rows.load(table, portions.next(), () => {
          const fields = portions.last().split("\t");
          position = { schema, table: table.name, after: at.map((index) => fields[index] ?? "") };
          return new Map([[positionSetting, JSON.stringify(position)]]);
        });
      }
    } finally {
      await portions.end();
    }
    rows += portions.rows();
  }
  return { rows, tables: tables.length };
}

function keyPositionsOf({ columns, key }: RowTable): readonly number[] {
  return key.map((name) => columns.findIndex((column) => column.name === name));
}

/** The lines of a table, divided into those of one transaction each. */
interface Portions {
  hasMore(): Promise<boolean>;
  /** Returns the lines of the next transaction. */
  next(): AsyncIterable<readonly string[]>;
  /** Returns the last line that was read, and how many were. */
  last(): string;
  rows(): number;
  /** Ends the reading, also in the middle. */
  end(): Promise<void>;
}

function createPortions(lines: AsyncIterable<readonly string[]>, rowsAtOnce: number): Portions {
  const batches = lines[Symbol.asyncIterator]();
  let ahead: readonly string[] | undefined;
  let last = "";
  let count = 0;
  const peek = async () => {
    ahead ??= ((await batches.next()) as IteratorYieldResult<readonly string[]>).value; // undefined at the end
    return ahead;
  };
  return {
    hasMore: async () => (await peek()) !== undefined,
    async *next() {
      let [rows, characters] = [0, 0];
      while (rows < rowsAtOnce && characters < charactersAtOnce) {
        const batch = await peek();
        if (batch === undefined) return;
        const taken = batch.slice(0, rowsAtOnce - rows);
        ahead = taken.length < batch.length ? batch.slice(taken.length) : undefined;
        rows += taken.length;
        for (const { length } of taken) characters += length;
        count += taken.length;
        last = taken.at(-1) ?? "";
        yield taken;
      }
    },
    last: () => last,
    rows: () => count,
    end: async () => void (await batches.return?.()),
  };
}

/** Reads both places from the first row to the last. Throws CopyError for the first table that differs. */
async function requireEqual(
  { source, target }: CopyOptions,
  tables: readonly RowTable[],
): Promise<{ readonly rows: number; readonly tables: number; readonly digest: string }> {
  let rows = 0;
  const digests: string[] = [];
  for (const table of tables) {
    const both = [source, target].map((side) => digestTable(side.rows, table));
    await Promise.allSettled(both); // a failure of one leaves the other to end its reading
    const [from, to] = (await Promise.all(both)) as [TableDigest, TableDigest];
    if (from.rows !== to.rows || from.digest !== to.digest)
      throw new CopyError(
        `the table ${table.name} has ${from.rows} rows with the digest ${from.digest} in ${source.name}, but ${to.rows} with ${to.digest} in ${target.name}; make ${target.name} empty, and run the copy again`,
      );
    rows += from.rows;
    digests.push(`${table.name} ${from.rows} ${from.digest}`);
  }
  return { rows, tables: tables.length, digest: digestOf(digests) };
}

/** Copies the settings and opens the target. */
async function finishSettings({ source, target, ownSettings }: CopyOptions, seal: Seal): Promise<void> {
  const [settings, before] = await Promise.all([source.rows.readSettings(), target.rows.readSettings()]);
  await target.rows.changeSettings(
    new Map<string, string | undefined>([
      ...[...before.keys()].map((name) => [name, undefined] as const),
      ...settings,
      ...ownSettings,
      [sealSetting, toText({ ...seal, isDone: true })],
    ]),
  );
}

async function sealSource({ source, target }: CopyOptions, { id }: Seal): Promise<void> {
  const seal: Seal = { id, role: "source", other: target.name, isDone: true };
  await source.rows.changeSettings(new Map([[sealSetting, toText(seal)]]));
}

function toText(seal: Seal): string {
  return JSON.stringify(seal);
}

function parsePosition(text: string | undefined): Position | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Position); // only this file writes it
}

function parseDerived(text: string | undefined): readonly Derived[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly Derived[]); // likewise
}
