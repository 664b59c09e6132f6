import { describe, expect, test } from "@jest/globals";
import { toCsv } from "../../src/console/ui/list/csv.ts";
import { loadAll } from "../../src/console/ui/list/list-source.ts";
import {
  firstPage,
  pageAfter,
  pageBefore,
  readPage,
  type ShownPage,
  writePage,
} from "../../src/console/ui/list/page-place.ts";

describe("a CSV file", () => {
  test("quotes what has to be quoted", () => {
    const rows = [
      ["name", "note"],
      ["Lamp, Works", 'says "hi"'],
      ["Zürich", "two\nlines"],
    ];
    expect(toCsv(rows)).toBe('\uFEFFname,note\r\n"Lamp, Works","says ""hi"""\r\nZürich,"two\nlines"\r\n');
  });

  test.each([
    "=1+1",
    "+1+1",
    "-1-1",
    "-2+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "＝1+1",
    " =1+1",
    "\tx",
    "\rx",
    "\nx",
  ])("lets no spreadsheet calculate %j", (text) => {
    expect(toCsv([[text]])).toContain(`'${text}`);
  });

  test.each([
    ["x;=1+cmd|' /C calc'!A0", `"x;'=1+cmd|' /C calc'!A0"`],
    ["x; @SUM(A1);-2+3", `"x;' @SUM(A1);'-2+3"`],
    ['x;"=1+1"', `"x;'""=1+1"""`],
    ["x\t+1\n-1\r＋1", `"x\t'+1\n'-1\r'＋1"`],
    ["x;y-1", '"x;y-1"'],
  ])("hides no formula behind another separator: %j", (text, cell) => {
    expect(toCsv([[text]])).toBe(`\uFEFF${cell}\r\n`);
  });

  test.each(["117345678901234567", "+4930123456", "-5", "-1.5", "2026-01-31", "a=b", "ada@example.com"])(
    "leaves %s as it is",
    (text) => {
      expect(toCsv([[text]])).toBe(`\uFEFF${text}\r\n`);
    },
  );
});

describe("the whole of a list", () => {
  test("is read page by page, as large as pages can be, with its filters", async () => {
    const asked: unknown[] = [];
    const progress: number[] = [];
    const pages = [
      { rows: [1, 2], nextPageToken: "b" },
      { rows: [], nextPageToken: "c" },
      { rows: [3], nextPageToken: "" },
    ];
    const rows = await loadAll(
      async (request) => {
        asked.push(request);
        return pages[asked.length - 1] ?? { rows: [], nextPageToken: "" };
      },
      { state: "1" },
      { onProgress: (count) => progress.push(count) },
    );
    expect(rows).toEqual([1, 2, 3]);
    expect(progress).toEqual([2, 2, 3]);
    const shared = { pageSize: 1000, countTotal: false, filters: { state: "1" } };
    expect(asked).toEqual([
      { ...shared, pageToken: "" },
      { ...shared, pageToken: "b" },
      { ...shared, pageToken: "c" },
    ]);
  });

  test("ends with the page that has as many rows as are wanted", async () => {
    const load = async () => ({ rows: [1, 2], nextPageToken: "more" });
    expect(await loadAll(load, {}, { mostRows: 3 })).toEqual([1, 2, 1, 2]);
  });
});

describe("the page of a list", () => {
  const goOn = (count: number): ShownPage =>
    Array.from({ length: count }, (_none, index) => `token-${index + 2}`).reduce(pageAfter, firstPage);

  test("stands in the address with the tokens that lead back", () => {
    expect(writePage(firstPage)).toBe("");
    expect(writePage(goOn(2))).toBe("3..token-2.token-3");
    expect(readPage(writePage(goOn(2)))).toEqual(goOn(2));
    expect(pageBefore(goOn(2))).toEqual(goOn(1));
    expect(pageBefore(goOn(1))).toEqual(firstPage);
  });

  test("keeps few tokens, and leads to the first page from where they end", () => {
    const far = goOn(99);
    expect([far.number, far.tokens.length, far.tokens.at(-1)]).toEqual([100, 10, "token-100"]);
    const end = Array.from({ length: 9 }).reduce<ShownPage>(pageBefore, far);
    expect([end.number, end.tokens]).toEqual([91, ["token-91"]]);
    expect(pageBefore(end)).toEqual(firstPage);
  });

  test.each([null, "", "x", "0.a", "2", "2.a/b", "1e3.a", "-1.a"])("is the first one for %j", (text) => {
    expect(readPage(text)).toEqual(firstPage);
  });
});
