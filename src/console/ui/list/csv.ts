/**
 * Writes rows as CSV (RFC 4180), with CRLF and the mark by which spreadsheets know UTF-8.
 *
 * No spreadsheet calculates what others have typed: a text that it would take for a formula gets an apostrophe in front. So does each part
 * of a text behind a semicolon, a tab or a line break, which a spreadsheet that separates by semicolons, as Excel does in German, takes
 * for a cell of its own. A plain number with its sign is left as it is, so that programs read negative numbers and phone numbers such as
 * +4930123456 unchanged. Ids are left too; a spreadsheet that is not to round them imports their column as text.
 */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${rows.map((row) => row.map(toCell).join(",")).join("\r\n")}\r\n`;
}

function toCell(text: string): string {
  const safe = plainNumber.test(text) ? text : disarm(text);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const plainNumber = /^[+-]\d+(?:[.,]\d+)?$/;

/** Spaces and quotes in front of a formula do not keep spreadsheets from seeing it. */
function disarm(text: string): string {
  return text.replaceAll(/(^|[;\t\r\n])(?=[ "\u00A0]*[=+\-@＝＋－＠])/g, "$1'").replace(/^(?=[\t\r\n])/, "'");
}
