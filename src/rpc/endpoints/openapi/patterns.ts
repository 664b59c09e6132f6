// Patterns of texts, in what the regular expressions of JSON Schema and of all languages have in common (JSON Schema Core
// §6.4): no look-around, no \p. Each takes linear time.
import { getExtension, hasExtension } from "@bufbuild/protobuf";
import type { StringRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { header_name, no_control, not_blank, role_key } from "../../../../gen/gatehouse/v1/rules_pb.ts";

/** What \p{Cc} is, in a class of characters. */
const control = String.raw`\u0000-\u001F\u007F-\u009F`;
/** What \p{Z} is. */
const space = String.raw` \u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000`;

const visible = `[^${control}${space}]`;
/** Characters of a role key that are not all of `.` or `..`. */
const role = String.raw`([^.${control}${space}]|\.[^.${control}${space}]|\.\.${visible})${visible}*`;
/** White space as ECMAScript has it, control characters and backslashes: what no URL may hold. */
const unrepairable = String.raw`${control}${space}\uFEFF\\`;

/** The rules of `rules.proto` that come together on a field, and the texts that keep all of them but for the empty one. */
const ofRules = [
  { rules: [not_blank, no_control], pattern: `[${space}]*${visible}[^${control}]*` },
  { rules: [role_key], pattern: role },
  { rules: [header_name], pattern: "[!#$%&'*+.^_`|~0-9A-Za-z-]+" },
];

/** Ids as `createIdGenerator` makes them; every other one is NOT_FOUND. */
export const idPattern = "[1-9][0-9]{0,18}";
/** The id of an object, or of one that an earlier item of the batch makes. */
export const referencePattern = `(${idPattern}|bulkId:[A-Za-z0-9_-]{1,64})`;
/** Matches the key of a role, as its handler accepts it. */
export const rolePattern = role;
/** What every phone number has in common that libphonenumber takes in international form. */
export const phonePattern = String.raw`\s*\+[^A-Za-z]+`;
/** What `urlViolation` says in words, but for what the parser of URLs finds. */
export const urlPattern = urlOf("");
/** Matches a URL without a query, as its handler accepts it. */
export const urlWithoutQueryPattern = urlOf("?");

function urlOf(refused: string): string {
  const start = refused === "?" ? "/" : "/?";
  return `[Hh][Tt][Tt][Pp][Ss]?://[^/?#@${unrepairable}]+([${start}][^#${refused}${unrepairable}]*)?`;
}

/** Returns the pattern of the texts that are one of those, and the empty one if it may be. */
export function whole(pattern: string, mayBeEmpty: boolean): string {
  return mayBeEmpty ? `^(${pattern})?$` : `^${pattern}$`;
}

/** Returns the pattern of the texts that keep the rules, but for their length; undefined when there is no such rule. */
export function patternOf(rules: StringRules): string | undefined {
  if (rules.pattern !== "") return rules.pattern;
  const all = ofRules.flatMap((each) => each.rules);
  const kept = all.filter((rule) => hasExtension(rules, rule) && getExtension(rules, rule));
  if (kept.length === 0) return undefined;
  const found = ofRules.find(
    (each) => each.rules.length === kept.length && kept.every((rule) => each.rules.includes(rule)),
  );
  if (found === undefined)
    throw new Error(`no pattern says ${kept.map(({ name }) => name).join(" and ")} together`);
  return whole(found.pattern, rules.minLen === 0n);
}
