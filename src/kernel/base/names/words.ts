import { foldName, isPlain } from "./folding.ts";

/**
 * Splits a text into words, folded as unique names are: runs of letters, digits and marks, each once. Languages that write no spaces
 * have one word for what stands together.
 */
export function toWords(text: string): readonly string[] {
  const folded = foldName(text);
  const runs = folded.match(isPlain(folded) ? /[a-z0-9]+/g : /[\p{L}\p{N}\p{M}]+/gu);
  return [...new Set(runs)];
}

/** The texts that begin with a prefix, as a range of a column in the order of code points. */
export interface WordRange {
  readonly from: string;
  /** The first text behind them. */
  readonly to: string;
}

/** Returns the range of the texts that begin with these characters. */
export function toRange(prefix: string): WordRange {
  return { from: prefix, to: prefix + lastCharacter };
}

/** No word has this code point, which is no character. */
const lastCharacter = "\u{10ffff}";
