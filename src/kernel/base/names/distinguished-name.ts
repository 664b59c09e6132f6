/**
 * Parses a DN as text (RFC 4514 §3) and returns a form that is the same for all ways to write it, as far as names without a schema
 * can be compared: types and values in lower case, escapes resolved, runs of white space as one. Undefined for anything else, and for
 * the empty DN.
 */
export function parseDn(text: string): string | undefined {
  const names: string[] = [];
  let rest = text;
  for (;;) {
    const parts: string[] = [];
    for (;;) {
      const part = readPart(rest);
      if (part === undefined) return undefined;
      parts.push(part.written);
      rest = part.rest;
      if (!rest.startsWith("+")) break;
      rest = rest.slice(1);
    }
    names.push(parts.toSorted().join("+"));
    if (rest === "") return names.join(",");
    rest = rest.slice(1); // a comma, or a semicolon as RFC 2253 has it
  }
}

/** One `type=value`, and what follows it from its separator on. */
function readPart(text: string): { readonly written: string; readonly rest: string } | undefined {
  const type = /^ *([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+) *= */.exec(text);
  if (type === null) return undefined;
  const from = text.slice(type[0].length);
  const hex = /^#((?:[\dA-Fa-f]{2})+) *(?=[,;+]|$)/.exec(from);
  const value = hex === null ? readValue(from) : { value: `#${hex[1] ?? ""}`, length: hex[0].length };
  if (value === undefined) return undefined;
  const folded = value.value.toLowerCase().replace(/\s+/gu, " ").trim();
  const written = `${(type[1] ?? "").toLowerCase()}=${JSON.stringify(folded)}`;
  return { written, rest: from.slice(value.length) };
}

const special = '"+,;<>#= \\';

function readValue(text: string): { readonly value: string; readonly length: number } | undefined {
  const bytes: Buffer[] = [];
  let index = 0;
  while (index < text.length && !"+,;".includes(text.charAt(index))) {
    const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
    if ('"<>\0'.includes(character)) return undefined;
    if (character !== "\\") {
      bytes.push(Buffer.from(character, "utf8"));
      index += character.length;
      continue;
    }
    const pair = text.slice(index + 1, index + 3);
    const next = text.charAt(index + 1);
    if (/^[\dA-Fa-f]{2}$/.test(pair)) {
      bytes.push(Buffer.from(pair, "hex"));
      index += 3;
    } else if (next !== "" && special.includes(next)) {
      bytes.push(Buffer.from(next, "utf8"));
      index += 2;
    } else return undefined;
  }
  const value = Buffer.concat(bytes).toString("utf8");
  return value.trim() === "" ? undefined : { value, length: index };
}
