import { describe, expect, test } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { createCanaries } from "./canaries.ts";
import { createScanner, scanLog } from "./canary-scan.ts";
import { createSearch, spellingsOf } from "./canary-search.ts";

/** What a service leaves behind is looked through in `test/api/canaries.sized.test.ts`. */
describe("the scan finds", () => {
  test("a secret in every spelling, wherever it begins", () => {
    const own = createCanaries();
    own.add("token", "canary-Ab3/?+ü-0123456789");
    const [canary] = own.list();
    const scanner = createScanner(own.list());
    const bytes = canary?.value ?? Buffer.alloc(0);
    const texts = [0, 1, 2, 3].flatMap((offset) => {
      const whole = Buffer.concat([randomBytes(offset), bytes, randomBytes(5)]);
      return [whole.toString("base64"), whole.toString("base64url"), whole.toString("hex")];
    });
    texts.push(JSON.stringify({ a: bytes.toString() }), `/x?${encodeURIComponent(bytes.toString())}`);
    for (const line of texts) expect([line, scanLog(scanner, line)]).toEqual([line, ["token in the log"]]);
    expect(scanner.scan("it", Buffer.from(bytes.toString(), "utf16le"), ["secret"])).toEqual(["token in it"]);
    expect(spellingsOf(bytes).length).toBeGreaterThan(8);
  });

  test("a value of any length, wherever it begins and however many others are looked for", () => {
    for (const length of [4, 5, 7, 8, 11, 12, 40]) {
      const values = Array.from({ length: 50 }, () => randomBytes(length));
      const search = createSearch(values.map((value) => [value]));
      for (let offset = 0; offset <= 16; offset++) {
        const index = (offset * 3) % values.length;
        const found = values[index] ?? Buffer.alloc(0);
        const withBoth = Buffer.concat([Buffer.alloc(offset), found, Buffer.alloc(offset % 5)]);
        expect([length, offset, [...search.findIn(withBoth)]]).toEqual([length, offset, [index]]);
        const cut = withBoth.subarray(0, offset + length - 1);
        expect([length, offset, [...search.findIn(cut)]]).toEqual([length, offset, []]);
      }
    }
  });

  test("a code as a word, and not inside of a longer number", () => {
    const own = createCanaries();
    own.addCode("40718293");
    const scanner = createScanner(own.list());
    expect(scanLog(scanner, '{"id":"1940718293","hex":"a40718293f"}')).toEqual([]);
    expect(scanLog(scanner, '{"detail":"code 40718293 is wrong"}')).toEqual(["phone code in the log"]);
  });
});
