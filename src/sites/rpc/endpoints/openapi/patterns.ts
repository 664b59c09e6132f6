// Patterns of texts, in the subset of regular expressions that JSON Schema and all languages share (JSON Schema Core
// §6.4): no look-around, no \p. Each takes linear time.
import { getExtension, hasExtension } from "@bufbuild/protobuf";
import type { StringRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { header_name, no_control, not_blank, role_key } from "../../../../../gen/gatehouse/v1/rules_pb.ts";

/** \p{Cc} as a part of a character class. */
const control = String.raw`\u0000-\u001F\u007F-\u009F`;
/** \p{Z} as a part of a character class. */
const space = String.raw` \u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000`;

const visible = `[^${control}${space}]`;
/** Characters of a role key, which must not be `.` or `..`. */
const role = String.raw`([^.${control}${space}]|\.[^.${control}${space}]|\.\.${visible})${visible}*`;
/** Characters that a URL must not contain: white space as in ECMAScript, control characters and backslashes. */
const unrepairable = String.raw`${control}${space}\uFEFF\\`;

/** Sets of rules of `rules.proto` that occur together on a field, and the non-empty texts that keep all of them. */
const ofRules = [
  { rules: [not_blank, no_control], pattern: `[${space}]*${visible}[^${control}]*` },
  { rules: [no_control], pattern: `[^${control}]+` },
  { rules: [role_key], pattern: role },
  { rules: [header_name], pattern: "[!#$%&'*+.^_`|~0-9A-Za-z-]+" },
];

/** Ids as `createIdGenerator` makes them; any other text fails with NOT_FOUND. */
export const idPattern = "[1-9][0-9]{0,18}";
/** The id of an object, or a reference to one that an earlier item of the batch makes. */
export const referencePattern = `(${idPattern}|bulkId:[A-Za-z0-9_-]{1,64})`;
/** Matches the key of a role, as its handler accepts it. */
export const rolePattern = role;
/** The common form of all phone numbers that libphonenumber accepts in international form. */
export const phonePattern = String.raw`\s*\+[^A-Za-z]+`;
/** The rules of `urlViolation`, except those of the URL parser. */
export const urlPattern = urlOf("");
/** Matches a URL without a query, as its handler accepts it. */
export const urlWithoutQueryPattern = urlOf("?");
/** Matches a URL without a query, and without a slash at the end, as its handler accepts it. */
export const baseUrlPattern = `[Hh][Tt][Tt][Pp][Ss]?://[^/?#@${unrepairable}]+(/[^#?${unrepairable}]*[^/#?${unrepairable}])?`;
/** Matches an https URL, as the handler of legal links accepts it. */
export const httpsUrlPattern = urlPattern.replace("?://", "://");

/** The rules of `redirectUriViolation` that all applications share. */
export const redirectUriPattern = String.raw`[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9_.~:/?[\]@!$&'()+,;=%-]*`;
/** The rules of `originViolation` that all applications share. */
export const originPattern = String.raw`https?://[a-z0-9_.:[\]-]+`;

function urlOf(refused: string): string {
  const start = refused === "?" ? "/" : "/?";
  return `[Hh][Tt][Tt][Pp][Ss]?://[^/?#@${unrepairable}]+([${start}][^#${refused}${unrepairable}]*)?`;
}

/** Returns the pattern that matches these texts, and the empty one if allowed. */
export function whole(pattern: string, mayBeEmpty: boolean): string {
  return mayBeEmpty ? `^(${pattern})?$` : `^${pattern}$`;
}

/** Returns the pattern of the texts that keep the rules, except for lengths; undefined when there is no such rule. */
export function patternOf(rules: StringRules): string | undefined {
  if (rules.pattern !== "") return rules.pattern;
  const all = new Set(ofRules.flatMap((each) => each.rules));
  const kept = [...all].filter((rule) => hasExtension(rules, rule) && getExtension(rules, rule));
  if (kept.length === 0) return undefined;
  const found = ofRules.find(
    (each) => each.rules.length === kept.length && kept.every((rule) => each.rules.includes(rule)),
  );
  if (found === undefined)
    throw new Error(`no pattern says ${kept.map(({ name }) => name).join(" and ")} together`);
  return whole(found.pattern, rules.minLen === 0n);
}
