import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { CsvError, type Info, parse } from "csv-parse";
import { maxLineBytes, readLines } from "../lines.ts";
import { ImportError, type Remark, remark, type UserRecord } from "../records.ts";
import { quote } from "../report.ts";
import { toUser, type UserField, userFields } from "./values.ts";

/** Reads the users of a CSV file (RFC 4180) with a header. The separator is a comma, or a semicolon or tab if the header has no comma. */
export async function* readCsv(file: string): AsyncIterable<UserRecord | Remark> {
  const name = basename(file);
  const delimiter = await findDelimiter(file);
  const faults: Remark[] = [];
  const rows = createReadStream(file).pipe(
    parse({
      bom: true,
      delimiter,
      info: true,
      max_record_size: maxLineBytes,
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  );
  let columns: readonly (UserField | undefined)[] | undefined;
  try {
    for await (const { record, info } of rows as AsyncIterable<{ record: string[]; info: Info }>) {
      yield* faults.splice(0);
      const where = `${name} line ${info.lines}`;
      if (columns === undefined) {
        columns = readHeader(name, record);
        yield* listUnknown(where, record);
      } else yield toRow(where, columns, record);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield remark(name, "problem", `cannot be read any further: ${explain(error)}`);
  }
  if (columns === undefined) yield remark(name, "problem", "has no header");
}

async function findDelimiter(file: string): Promise<string> {
  for await (const { text = "" } of readLines(file)) {
    if (text.includes(",")) return ",";
    return [";", "\t"].find((each) => text.includes(each)) ?? ",";
  }
  return ",";
}

function readHeader(name: string, header: readonly string[]): readonly (UserField | undefined)[] {
  const columns = header.map((title) => userFields.find((field) => field === titleOf(title)));
  const known = columns.filter((column) => column !== undefined);
  const twice = known.find((column, index) => known.indexOf(column) !== index);
  if (twice !== undefined) throw new ImportError(`${name}: two columns are named ${twice}`);
  if (!known.includes("id")) throw new ImportError(`${name}: the header needs a column id`);
  return columns;
}

function titleOf(title: string): string {
  return title.trim().toLowerCase();
}

function listUnknown(where: string, header: readonly string[]): readonly Remark[] {
  const unknown = header.filter((title) => !(userFields as readonly string[]).includes(titleOf(title)));
  return unknown.map((title) => remark(where, "note", `the column ${quote(title)} does not come along`));
}

function toRow(
  where: string,
  columns: readonly (UserField | undefined)[],
  row: readonly string[],
): UserRecord | Remark {
  if (row.length !== columns.length)
    return remark(where, "problem", `has ${row.length} values for ${columns.length} columns and is left out`);
  if (row.some((value) => value.includes("\u{fffd}")))
    return remark(where, "problem", "is not UTF-8 and is left out");
  return toUser(
    where,
    Object.fromEntries(
      columns.flatMap((column, index) => (column === undefined ? [] : [[column, row[index]]])),
    ),
  );
}

/** Messages of the library hold what the file holds, which may be a secret. */
function explain({ code, lines }: CsvError & { readonly lines?: number }): string {
  const place = lines === undefined ? "" : ` near line ${lines}`;
  switch (code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return `a quote is not closed${place}; perhaps the file is cut off`;
    case "CSV_INVALID_CLOSING_QUOTE":
    case "INVALID_OPENING_QUOTE":
      return `a quote stands where none may be${place}`;
    case "CSV_MAX_RECORD_SIZE":
      return `a line has more than ${maxLineBytes} bytes${place}`;
    default:
      return `${code}${place}`;
  }
}
