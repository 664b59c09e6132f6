import { StringDecoder } from "node:string_decoder";
import type { SqlValue } from "../../kernel/base/database.ts";
import type { ExportedRow } from "../../identity/exports/repository.ts";
import type { OpenEvent } from "../../kernel/events/transfer/restore.ts";
import { ImportError } from "../records.ts";

/** The first line of an export. */
export interface ExportHeader {
  /** 1 for an instance, 2 for an organization. */
  readonly format: number;
  readonly instance_id: string;
  /** Of an export of one organization. */
  readonly organization_id?: string;
  /** RFC 3339. */
  readonly date: string;
  readonly with_secrets: boolean;
}

/** What a line of an export has: each is a JSON object with one member, which is named after its kind. */
export interface ExportLines {
  readonly export: ExportHeader;
  readonly setting: { readonly name: string; readonly value: string };
  /** There is a key that encrypts the personal data of the user; the key itself only with secrets. */
  readonly user_key: { readonly user_id: string; readonly organization_id: string; readonly key?: string };
  readonly event: OpenEvent;
  /** Of one organization: what does not come along, stays where it is, or loses something. Stands among the events. */
  readonly left_out: { readonly kind: string; readonly id: string; readonly text: string };
  /** Bytes are an object with the member `base64`. */
  readonly row: { readonly table: string; readonly columns: Readonly<Record<string, unknown>> };
  /** `use` and `context` say how it is encrypted; both are absent for hashes, and for what the key of a user encrypts. */
  readonly secret: {
    readonly id: string;
    readonly use?: string;
    readonly context?: string;
    readonly value: string;
  };
  /** The last line, with the number of those before it. */
  readonly end: { readonly lines: number };
}

/** A line, as a variant of its kind. */
export type ExportLine = {
  readonly [K in keyof ExportLines]: { readonly kind: K; readonly value: ExportLines[K] };
}[keyof ExportLines];

/** The format that is written, of an instance. */
export const exportFormat = 1;

/** The format of one organization. Programs that know only the other one refuse it. */
export const organizationFormat = 2;

/** The kinds, each with its place in the file. */
const places: Readonly<Record<keyof ExportLines, number>> = {
  export: 0,
  setting: 1,
  user_key: 2,
  event: 3,
  left_out: 3,
  row: 4,
  secret: 5,
  end: 6,
};

/** A line is in memory as a whole. The longest that is written is about 3 MB. */
const maxLineCharacters = 2 ** 24;

/** Writes a line. */
export function toExportLine({ kind, value }: ExportLine): string {
  return `${JSON.stringify({ [kind]: value })}\n`;
}

/**
 * Reads an export line by line. Throws ImportError for what is no export of a known format, is damaged, or ends before its end; the caller
 * has seen the lines before that.
 */
export async function* readExport(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ExportLine, void, undefined> {
  let number = 0;
  let place = 0;
  let last: ExportLine | undefined;
  for await (const text of readTexts(bytes)) {
    number += 1;
    const line = parseLine(text, number);
    const at = places[line.kind];
    if (number === 1) requireHeader(line);
    else if (at < place || at === 0 || last?.kind === "end") throw damaged(number, "it is not in its place");
    place = at;
    if (line.kind === "end" && line.value.lines !== number - 1)
      throw damaged(number, `${number - 1} lines are before it instead of ${line.value.lines}`);
    last = line;
    yield line;
  }
  if (last === undefined) throw new ImportError("the file is empty");
  if (last.kind !== "end") throw new ImportError(`the file ends too early, behind line ${number}`);
}

async function* readTexts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of bytes) {
    const texts = (rest + decoder.write(Buffer.from(chunk))).split("\n");
    rest = texts.pop() ?? "";
    if (rest.length > maxLineCharacters) throw new ImportError("a line is longer than that of any export");
    yield* texts;
  }
  if (rest !== "") yield rest;
}

function parseLine(text: string, number: number): ExportLine {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw damaged(number, "it is no JSON");
  }
  const entries = typeof parsed === "object" && parsed !== null ? Object.entries(parsed) : [];
  const [kind, value] = (entries[0] ?? ["", undefined]) as readonly [string, unknown];
  if (entries.length !== 1 || !Object.hasOwn(places, kind) || typeof value !== "object" || value === null)
    throw damaged(number, "it is of no known kind");
  // What it has inside is checked by what stores it: a value of a wrong type is refused by the columns of its table.
  return { kind, value } as ExportLine;
}

function requireHeader(line: ExportLine): void {
  if (line.kind !== "export")
    throw new ImportError("this is no file of gatehouse export: the first line has no header");
  const { format, organization_id: organizationId } = line.value;
  const expected = organizationId === undefined ? exportFormat : organizationFormat;
  if (format !== expected)
    throw new ImportError(
      `the file has the format ${format}, but this program reads ${expected}; use the version that wrote it, or a newer one`,
    );
}

/** Returns the error for a line that cannot be used. */
export function damaged(number: number, why: string): ImportError {
  return new ImportError(`line ${number} is damaged: ${why}`);
}

/** Converts a row to the columns of a line. */
export function toColumns(row: ExportedRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value,
    ]),
  );
}

/** Converts the columns of a line to a row. */
export function toRow(columns: Readonly<Record<string, unknown>>): ExportedRow {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]): [string, SqlValue] => {
      if (typeof value === "string" || typeof value === "number" || value === null) return [name, value];
      const { base64 } = (value ?? {}) as { readonly base64?: unknown };
      if (typeof base64 !== "string")
        throw new ImportError(`the column ${name} has a value of no known type`);
      return [name, new Uint8Array(Buffer.from(base64, "base64"))];
    }),
  );
}
