/**
 * Erasing what `secure_delete` leaves behind. SQLite writes zeros over a cell that is deleted, but when it moves cells
 * from a page to its neighbours it may leave copies of them in the part of the page that is not in use, the gap between
 * the cell pointers and the cells (https://www.sqlite.org/fileformat2.html, §1.6; `rebuildPage` of 3.54.1). The copy stays
 * when the cell is deleted where it lives then. Could go once SQLite clears the gap itself.
 */
import { readSync, writeSync } from "node:fs";

/** Types of b-tree pages: interior pages have four bytes more in front of their pointers. */
const interiorTypes: ReadonlySet<number> = new Set([2, 5]);
const leafTypes: ReadonlySet<number> = new Set([10, 13]);
const fileHeaderBytes = 100;

/**
 * Beyond this number of pages (137 GB with pages of 4 KiB) the first byte of an overflow page, the upper byte of a page
 * number, could be taken for the type of a b-tree page.
 */
const maxPages = 2 ** 25 - 1;

/**
 * Writes zeros into the gaps of these pages of a database file. What is in use is not touched, so it does no harm at any
 * moment, to any page, and however it ends; a page that lies behind the end of the file is left out.
 */
export function wipeUnallocatedRegions(descriptor: number, pageBytes: number, pages: Iterable<number>): void {
  const page = Buffer.alloc(pageBytes);
  const zeros = Buffer.alloc(pageBytes);
  for (const number of pages) {
    if (number < 1 || number > maxPages) continue;
    const start = (number - 1) * pageBytes;
    if (readSync(descriptor, page, 0, pageBytes, start) < pageBytes) continue;
    const region = findUnallocatedRegion(page, number === 1 ? fileHeaderBytes : 0);
    if (region === undefined) continue;
    const length = region.end - region.start;
    if (page.compare(zeros, 0, length, region.start, region.end) === 0) continue;
    writeSync(descriptor, zeros, 0, length, start + region.start);
  }
}

/** Returns where the gap of a b-tree page lies; undefined for all other pages. */
function findUnallocatedRegion(
  page: Buffer,
  header: number,
): { readonly start: number; readonly end: number } | undefined {
  const type = page.readUInt8(header);
  if (!interiorTypes.has(type) && !leafTypes.has(type)) return undefined;
  const cells = page.readUInt16BE(header + 3);
  const end = page.readUInt16BE(header + 5) || 65_536;
  const start = header + (interiorTypes.has(type) ? 12 : 8) + 2 * cells;
  return start < end && end <= page.length ? { start, end } : undefined;
}
