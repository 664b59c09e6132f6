import * as fc from "fast-check";

const firstSurrogate = 0xd800;
const surrogates = 0x800;

/**
 * Any character of Unicode, for `fc.string({ unit: anyCharacter })`. It stands in for fast-check's unit "binary", which lists all
 * of Unicode first and so takes a second in each file of tests.
 */
export const anyCharacter = fc.nat({ max: 0x10ffff - surrogates }).map(
  (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  (character) => {
    const [only = "", ...more] = typeof character === "string" ? character : "";
    const codePoint = only.codePointAt(0);
    if (codePoint === undefined || more.length > 0 || !only.isWellFormed())
      throw new Error("not a character");
    return codePoint < firstSurrogate ? codePoint : codePoint - surrogates;
  },
);
