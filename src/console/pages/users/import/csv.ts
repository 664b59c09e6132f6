/** A line of a table, with the line of the file at which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly values: readonly string[];
}

/** Why a file cannot be read any further. */
export type CsvFault = "openQuote" | "strayQuote";

/** The rows of a file up to its end, or up to the first fault. */
export interface CsvTable {
  readonly rows: readonly CsvRow[];
  readonly fault?: { readonly kind: CsvFault; readonly line: number };
}

/**
 * Reads CSV (RFC 4180) as `gatehouse import generic` does: the separator is a comma, or a semicolon or tab if the first line has no
 * comma; lines without a value are skipped.
 */
export function parseCsv(content: string): CsvTable {
  const text = content.startsWith("\uFEFF") ? content.slice(1) : content;
  const delimiter = findDelimiter(text);
  const plainEnd = new RegExp(`[${delimiter}\r\n"]`, "g");
  const rows: CsvRow[] = [];
  let values: string[] = [];
  let line = 1;
  let begin = 1;
  let at = 0;
  const endRow = (): void => {
    if (values.length > 1 || values[0] !== "") rows.push({ line: begin, values });
    values = [];
    begin = line;
  };
  while (at < text.length || values.length > 0) {
    if (text[at] === '"') {
      const { value, end, isOpen } = readQuoted(text, at);
      if (isOpen) return { rows, fault: { kind: "openQuote", line } };
      line += countLines(value);
      values.push(value);
      at = end;
    } else {
      plainEnd.lastIndex = at;
      const end = plainEnd.exec(text)?.index ?? text.length;
      values.push(text.slice(at, end));
      at = end;
    }
    const next = text[at];
    if (next === delimiter) {
      at += 1;
      continue;
    }
    if (next !== undefined && next !== "\r" && next !== "\n")
      return { rows, fault: { kind: "strayQuote", line } };
    at += text.startsWith("\r\n", at) ? 2 : 1;
    line += 1;
    endRow();
  }
  return { rows };
}

function findDelimiter(text: string): string {
  const [first = ""] = text.split(/[\r\n]/, 1);
  if (first.includes(",")) return ",";
  return [";", "\t"].find((each) => first.includes(each)) ?? ",";
}

/** Reads a value in quotes, in which two quotes stand for one. */
function readQuoted(
  text: string,
  start: number,
): { readonly value: string; readonly end: number; readonly isOpen: boolean } {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  const value = text.slice(start + 1, end === -1 ? undefined : end).replaceAll('""', '"');
  return { value, end: end + 1, isOpen: end === -1 };
}

function countLines(value: string): number {
  return (value.match(/\r\n|\r|\n/g) ?? []).length;
}
