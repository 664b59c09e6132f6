import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { toReply } from "../../../src/sites/login/browser-answer.ts";
import { noBrands } from "../../../src/identity/branding/brands.ts";
import { createLayout } from "../../../src/sites/login/layout.ts";
import { anyCharacter } from "../../support/any-character.ts";

const frame = { layout: createLayout(noBrands), exchange: { header: () => undefined } };

const unescape = (text = "") =>
  text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_all, name: string) => {
    const characters: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
    return characters[name] ?? "";
  });

test("a redirect is one, with its cookies", () => {
  const answer = { kind: "redirect", location: "https://a.example/?code=1" } as const;
  const { status, headers, body } = toReply(answer, { ...frame, cookies: ["a=1", "b=2"] });
  expect([status, headers?.["location"], headers?.["set-cookie"], body]).toEqual([
    303,
    answer.location,
    ["a=1", "b=2"],
    undefined,
  ]);
});

test("a form carries its cookies, and every value as it is", () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 40 });
  fc.assert(
    fc.property(text, text, (state, query) => {
      const action = `https://a.example/?${query}`;
      const answer = { kind: "form-post", action, fields: { code: "1", state } } as const;
      const { status, headers, body } = toReply(answer, { ...frame, cookies: ["a=1"] });
      expect([status, headers?.["location"], headers?.["set-cookie"]]).toEqual([200, undefined, ["a=1"]]);
      const inputs = [...String(body).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
      expect(inputs.map(([, name, value]) => [name, unescape(value)])).toEqual([
        ["code", "1"],
        ["state", state],
      ]);
      expect(unescape(/<form method="post" action="([^"]*)">/.exec(String(body))?.[1])).toBe(action);
      expect(String(body).match(/<script/g)).toHaveLength(1);
    }),
    { numRuns: 200 },
  );
});
