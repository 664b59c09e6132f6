import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { createKeyring, parseMasterKeys } from "../../../src/kernel/base/keyring.ts";
import {
  countLimit,
  defaultPageSize,
  maxPageSize,
  type PageQuery,
  type PageRequest,
  readPage,
} from "../../../src/kernel/base/paging.ts";
import { Problem } from "../../../src/kernel/base/problem.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { largeTest } from "../../support/large.ts";

const keyLine = (id: string, fill: number) => `${id} ${Buffer.alloc(32, fill).toString("base64")}\n`;
const ringOf = (...lines: readonly string[]) => createKeyring(parseMasterKeys(lines.join("")), systemRandom);
const keyring = ringOf(keyLine("one", 1));

interface Item {
  readonly id: string;
  readonly details: { readonly creationDate: number };
}

const items = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${index}`, details: { creationDate: 7 } })).toSorted(
    compare,
  );

function compare(left: Item, right: Item): number {
  const byDate = left.details.creationDate - right.details.creationDate;
  return byDate || Number(left.id > right.id) - Number(left.id < right.id);
}

/** A list of the items, and the queries that it was asked. */
function listOf(all: readonly Item[], key: readonly string[] = ["ListThings", "1"]) {
  const queries: PageQuery[] = [];
  return {
    key,
    queries,
    read: async (query: PageQuery) => {
      queries.push(query);
      const { after, limit } = query;
      const rest = all.filter(
        (item) =>
          after === undefined ||
          compare(item, { id: after.id, details: { creationDate: Number(after.date) } }) > 0,
      );
      return rest.slice(0, limit);
    },
    count: async (limit: number) => Math.min(all.length, limit),
  };
}

const request = (change: Partial<PageRequest> = {}): PageRequest => ({
  pageSize: 2,
  pageToken: "",
  countTotal: false,
  ...change,
});

/** Returns the token after the first of three items. */
async function makeToken(list = listOf(items(3)), ring = keyring): Promise<string> {
  return (await readPage(ring, request(), list)).nextPageToken;
}

/** Returns the reason why a token is refused; undefined when it is accepted. */
async function refusalOf(pageToken: string, list = listOf(items(3)), ring = keyring) {
  try {
    await readPage(ring, request({ pageToken }), list);
    return undefined;
  } catch (error) {
    return error instanceof Problem ? error.reason : String(error);
  }
}

describe("readPage", () => {
  test("gives each item once and in order, with any page size", async () => {
    const anyItems = fc
      .uniqueArray(
        fc.record({
          id: fc.nat(999).map(String),
          details: fc.record({ creationDate: fc.constantFrom(1, 2, 1_780_000_000_000_000) }),
        }),
        { selector: (item) => item.id, maxLength: 30 },
      )
      .map((unordered) => unordered.toSorted(compare));
    await fc.assert(
      fc.asyncProperty(anyItems, fc.integer({ min: 1, max: 12 }), async (all, pageSize) => {
        const pages: (readonly Item[])[] = [];
        let pageToken = "";
        do {
          const page = await readPage(keyring, request({ pageSize, pageToken }), listOf(all));
          pages.push(page.items);
          pageToken = page.nextPageToken;
        } while (pageToken !== "" && pages.length <= all.length);
        expect(pages.flat()).toEqual(all);
        expect(pages.slice(0, -1).filter((page) => page.length !== pageSize)).toEqual([]);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(all.length / pageSize)));
      }),
    );
  });

  test("goes on behind the last item that was shown when others were added or removed", async () => {
    const pageToken = await makeToken(listOf(items(5)));
    const page = await readPage(keyring, request({ pageToken, pageSize: 9 }), listOf(items(9).slice(2)));
    expect(page.items.map((item) => item.id)).toEqual(["2", "3", "4", "5", "6", "7", "8"]);
  });

  test.each([
    [0, defaultPageSize],
    [1, 1],
    [maxPageSize, maxPageSize],
    [maxPageSize + 1, maxPageSize],
    [2 ** 32 - 1, maxPageSize],
  ])("answers a page size of %i with %i items", async (pageSize, expected) => {
    const list = listOf(items(maxPageSize + 5));
    const page = await readPage(keyring, request({ pageSize }), list);
    expect(page.items).toHaveLength(expected);
    expect(list.queries).toEqual([{ after: undefined, limit: expected + 1 }]);
  });

  test("has the sizes that the contract names", () => {
    expect({ defaultPageSize, maxPageSize, countLimit }).toEqual({
      defaultPageSize: 50,
      maxPageSize: 1000,
      countLimit: 10_001,
    });
  });

  test("counts only when it is asked to, and up to the limit", async () => {
    const list = listOf(items(10_500));
    expect((await readPage(keyring, request(), list)).totalResult).toBeUndefined();
    expect((await readPage(keyring, request({ countTotal: true }), list)).totalResult).toBe(10_001);
  });

  test("counts the whole list on every page", async () => {
    const pageToken = await makeToken();
    const page = await readPage(keyring, request({ pageToken, countTotal: true }), listOf(items(3)));
    expect(page).toMatchObject({ items: [{ id: "2" }], nextPageToken: "", totalResult: 3 });
  });
});

describe("a page token", () => {
  test("is refused with any character replaced by any other", async () => {
    const token = await makeToken();
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/. ";
    const changed = Array.from(token, (character, index) =>
      Array.from(alphabet)
        .filter((other) => other !== character)
        .map((other) => `${token.slice(0, index)}${other}${token.slice(index + 1)}`),
    ).flat();
    const refusals = await Promise.all(changed.map((each) => refusalOf(each)));
    expect(refusals.length).toBeGreaterThan(4000);
    expect(new Set(refusals)).toEqual(new Set(["PAGE_TOKEN_INVALID"]));
  });

  largeTest("is refused with any byte of its content changed", async () => {
    const content = new Uint8Array(Buffer.from(await makeToken(), "base64url"));
    const changed = Array.from(content, (byte, index) =>
      Array.from({ length: 255 }, (_, by) => content.with(index, byte ^ (by + 1))),
    ).flat();
    const refusals = await Promise.all(
      changed.map((each) => refusalOf(Buffer.from(each).toString("base64url"))),
    );
    expect(new Set(refusals)).toEqual(new Set(["PAGE_TOKEN_INVALID"]));
  });

  test("is refused when it is cut, continued or padded", async () => {
    const token = await makeToken();
    const cut = Array.from(token, (_, length) => token.slice(0, length)).slice(1);
    for (const other of [...cut, `${token}A`, `${token}=`, `${token}\n`, ` ${token}`, token.slice(1)]) {
      expect(await refusalOf(other)).toBe("PAGE_TOKEN_INVALID");
    }
  });

  test("is refused by every other list", async () => {
    const key = fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(key, key, async (left, right) => {
        fc.pre(JSON.stringify(left) !== JSON.stringify(right));
        const token = await makeToken(listOf(items(3), left));
        expect(await refusalOf(token, listOf(items(3), left))).toBeUndefined();
        expect(await refusalOf(token, listOf(items(3), right))).toBe("PAGE_TOKEN_INVALID");
      }),
      {
        examples: [
          [["a", "b"], ["a,b"]],
          [
            ["ab", ""],
            ["a", "b"],
          ],
          [[], [""]],
        ],
      },
    );
  });

  test("is refused under another key, also one of the same id", async () => {
    const token = await makeToken();
    for (const ring of [ringOf(keyLine("one", 2)), ringOf(keyLine("two", 1))]) {
      expect(await refusalOf(token, listOf(items(3)), ring)).toBe("PAGE_TOKEN_INVALID");
    }
  });

  test("is still good when its key is no longer the first", async () => {
    const ring = ringOf(keyLine("two", 2), keyLine("one", 1));
    expect(await refusalOf(await makeToken(), listOf(items(3)), ring)).toBeUndefined();
  });

  test("is refused with the same reason whatever stands in it", async () => {
    const encoded = fc
      .string({ unit: anyCharacter, minLength: 1 })
      .map((text) => Buffer.from(text).toString("base64url"));
    const anyToken = fc.oneof(fc.string({ unit: anyCharacter, minLength: 1 }), encoded);
    await fc.assert(
      fc.asyncProperty(anyToken, async (token) => {
        expect(await refusalOf(token)).toBe("PAGE_TOKEN_INVALID");
      }),
      { numRuns: 1000 },
    );
  });

  test("names its field when it is refused", async () => {
    await expect(readPage(keyring, request({ pageToken: "x" }), listOf([]))).rejects.toMatchObject({
      kind: "invalid",
      violations: [{ field: "page_token" }],
    });
  });
});
