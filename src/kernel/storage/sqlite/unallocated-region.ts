/**
 * Erases what `secure_delete` leaves behind. SQLite overwrites a deleted cell with zeros, but when it moves cells
 * from a page to its neighbours it may leave copies of them in the unallocated region of the page, between the cell
 * pointers and the cells (https://www.sqlite.org/fileformat2.html, §1.6; `rebuildPage` of 3.54.1). Such a copy
 * remains when the cell is deleted from its new page. Delete this file once SQLite wipes the region itself.
 */
import { readSync, writeSync } from "node:fs";

/** Types of b-tree pages. Interior pages have four more bytes in front of their pointers. */
const interiorTypes: ReadonlySet<number> = new Set([2, 5]);
const leafTypes: ReadonlySet<number> = new Set([10, 13]);
const fileHeaderBytes = 100;

/**
 * Beyond this number of pages (137 GB with pages of 4 KiB) the first byte of an overflow page, the upper byte of a page
 * number, could be taken for the type of a b-tree page.
 */
const maxPages = 2 ** 25 - 1;

/**
 * Writes zeros into the unallocated regions of these pages of a database file. It touches no byte that is in use, so
 * it is safe at any moment, for any page, and when interrupted. Skips pages beyond the end of the file.
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

/** Returns where the unallocated region of a b-tree page is; undefined for other pages and when there is none. */
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
