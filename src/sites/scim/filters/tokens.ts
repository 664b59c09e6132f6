import { refusal } from "../errors/scim-error.ts";

/** A piece of a filter. */
export type FilterToken =
  | { readonly kind: "(" | ")" | "[" | "]" | "end" }
  /** An attribute, an operator, or `true`, `false` and `null`. */
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "value"; readonly value: string | number };

const piece =
  /\s*(?:(?<bracket>[()[\]])|(?<text>"(?:[^"\\]|\\.)*")|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.:$-])|(?<word>[.]?[A-Za-z$][\w$.:-]*))/suy;

/** Takes a filter apart. The last token is `end`. Raises invalidFilter. */
export function tokenize(filter: string): readonly FilterToken[] {
  const tokens: FilterToken[] = [];
  piece.lastIndex = 0;
  while (piece.lastIndex < filter.trimEnd().length) {
    const at = piece.lastIndex;
    const groups = piece.exec(filter)?.groups;
    if (groups === undefined)
      throw refusal("invalidFilter", `the filter cannot be read from character ${at + 1} on`);
    tokens.push(toToken(groups, at));
  }
  tokens.push({ kind: "end" });
  return tokens;
}

function toToken(groups: Readonly<Record<string, string | undefined>>, at: number): FilterToken {
  const { bracket, text, number, word = "" } = groups;
  if (bracket === "(" || bracket === ")" || bracket === "[" || bracket === "]") return { kind: bracket };
  if (number !== undefined) return { kind: "value", value: Number(number) };
  if (text === undefined) return { kind: "word", text: word };
  try {
    return { kind: "value", value: JSON.parse(text) as string }; // it is in quotes
  } catch {
    throw refusal("invalidFilter", `the text at character ${at + 1} of the filter is not a JSON string`);
  }
}
