import { expect, test } from "@jest/globals";
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import {
  originViolation,
  redirectUriViolation,
} from "../../../../src/identity/applications/oidc/redirect-uri.ts";
import { legalUrlViolation } from "../../../../src/identity/branding/legal-links.ts";
import { urlViolation } from "../../../../src/kernel/base/url.ts";
import { normalizePhone } from "../../../../src/identity/people/user/phone-number.ts";
import {
  httpsUrlPattern,
  patternOf,
  originPattern,
  phonePattern,
  redirectUriPattern,
  urlPattern,
  urlWithoutQueryPattern,
  whole,
} from "../../../../src/sites/rpc/endpoints/openapi/patterns.ts";
import { createFieldRules } from "../../../../src/sites/rpc/calls/field-rules/field-rules.ts";
import { create, type DescField, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import {
  field as fieldOption,
  type StringRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { listMethods } from "../../../support/methods.ts";
import { anyCharacter } from "../../../support/any-character.ts";

const requests = (await listMethods()).map(({ input }) => input);
const pieces = [
  ...Array.from(
    " \t\n\r\u0000\u001f\u007f\u0085\u009f\u00a0\u1680\u2000\u200a\u200b\u2028\u202f\u205f\u3000\ufeff",
  ),
  ...Array.from(".a1-_é名*:/?#@\\\"'+%"),
  "..",
  "😀",
  "\u180e",
];
const texts = oneof(
  array(constantFrom(...pieces), { maxLength: 6 }).map((each) => each.join("")),
  string({ unit: anyCharacter, maxLength: 6 }),
);

/** Returns the texts of requests that have a pattern, one for each set of rules. */
function fieldsWithPattern(): readonly (readonly [
  name: string,
  pattern: string,
  desc: DescMessage,
  field: DescField,
])[] {
  const found = new Map<string, readonly [string, string, DescMessage, DescField]>();
  for (const desc of requests) {
    for (const field of desc.fields) {
      const rules = field.fieldKind === "scalar" ? rulesOf(field) : undefined;
      const pattern = rules && patternOf(rules);
      if (pattern !== undefined) found.set(pattern, [`${desc.name}.${field.name}`, pattern, desc, field]);
    }
  }
  return [...found.values()];
}

function rulesOf(field: DescField): StringRules | undefined {
  const { type } = hasOption(field, fieldOption) ? getOption(field, fieldOption) : {};
  return type?.case === "string" ? type.value : undefined;
}

test.each(fieldsWithPattern())("the pattern of %s is what its rules say", (_name, pattern, desc, field) => {
  const rules = createFieldRules([desc]);
  const matches = new RegExp(pattern, "u");
  const seen = new Set<boolean>();
  assert(
    property(
      texts.filter((text) => text !== ""),
      (text) => {
        const message = create(desc);
        reflect(desc, message).set(field, text);
        const isKept = !rules.check(desc, message).some((violation) => violation.field === field.name);
        seen.add(isKept);
        expect([text, matches.test(text)]).toEqual([text, isKept]);
      },
    ),
    { numRuns: 500 },
  );
  expect(seen.size).toBe(2);
});

test("every text with rules of rules.proto has a pattern", () => {
  expect(fieldsWithPattern().length).toBeGreaterThan(4);
});

const urls = array(
  constantFrom(
    "http",
    "https",
    "HTTP",
    ":",
    "//",
    "/",
    "a",
    ".b",
    "?",
    "#",
    "@",
    "\\",
    " ",
    "\u00a0",
    "é",
    "\n",
    "80",
  ),
  { maxLength: 7 },
).map((each) => each.join(""));

const native = { appType: "NATIVE", isDevMode: true } as const;

test.each([
  ["URLs", urlPattern, (text: string) => urlViolation(text, { allowQuery: true })],
  [
    "URLs without a query",
    urlWithoutQueryPattern,
    (text: string) => urlViolation(text, { allowQuery: false }),
  ],
  ["https URLs", httpsUrlPattern, legalUrlViolation],
  ["redirect URIs", redirectUriPattern, (text: string) => redirectUriViolation(text, native)],
  ["origins", originPattern, (text: string) => originViolation(text, native)],
])("the pattern of %s leaves out none that the service takes", (_what, pattern, violationOf) => {
  const matches = new RegExp(whole(pattern, false), "u");
  const taken: string[] = [];
  assert(
    property(
      oneof(
        urls,
        urls.map((rest) => `https://${rest}`),
      ),
      (text) => {
        if (violationOf(text) === undefined) taken.push(text);
      },
    ),
    { numRuns: 3000 },
  );
  expect(taken.length).toBeGreaterThan(25);
  expect(taken.filter((text) => !matches.test(text))).toEqual([]);
});

test("the pattern of phones leaves out no number that the service takes", () => {
  const matches = new RegExp(whole(phonePattern, false), "u");
  const characters = constantFrom(
    "+",
    "4",
    "1",
    "7",
    "8",
    "(0)",
    " ",
    "-",
    "x",
    "tel:",
    "\u0664",
    ".",
    "/",
    "e",
  );
  const numbers = array(characters, { maxLength: 4 }).map((each) => each.join(""));
  const taken: string[] = [];
  assert(
    property(numbers, numbers, (before, inside) => {
      for (const text of [`${before}+4178${inside}1234567`, `+41 78 ${inside} 123 45 67${before}`])
        if (normalizePhone(text) !== undefined) taken.push(text);
    }),
    { numRuns: 1000 },
  );
  expect(taken.length).toBeGreaterThan(20);
  expect(taken.filter((text) => !matches.test(text))).toEqual([]);
});
