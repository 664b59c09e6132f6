import { expect, test } from "@jest/globals";
import { renderBrand } from "../../../src/sites/login/brand/brand-markup.ts";
import { languages } from "../../../src/identity/texts/languages.ts";
import { toTexts } from "../../../src/sites/login/texts/texts.ts";

test("a page that users must be able to trust names the product beside the organization", () => {
  const texts = toTexts(languages[0]);
  const organization = { id: "1", name: "Lamp Works" };
  const how = { brand: undefined, texts, defaultIcon: "/icon.svg" };
  const trusted = renderBrand({ organization, isTrusted: true }, how);
  expect(String(trusted.header)).toBe('<p class="name"><bdi>Lamp Works</bdi> · <bdi>Gatehouse</bdi></p>');
  expect(String(renderBrand({ organization }, how).header)).not.toContain("Gatehouse");
});
