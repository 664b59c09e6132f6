import { expect, test } from "@jest/globals";
import { renderBrand } from "../../../src/sites/login/brand/brand-markup.ts";
import { chooseTexts } from "../../../src/sites/login/texts/choose-texts.ts";

test("a page that users must be able to trust names the product beside the organization", () => {
  const texts = chooseTexts({ acceptLanguage: "en" });
  const organization = { id: "1", name: "Lamp Works" };
  const how = { brand: undefined, texts, defaultIcon: "/icon.svg" };
  const trusted = renderBrand({ organization, isTrusted: true }, how);
  expect(String(trusted.header)).toBe('<p class="name"><bdi>Lamp Works</bdi> · <bdi>Gatehouse</bdi></p>');
  expect(String(renderBrand({ organization }, how).header)).not.toContain("Gatehouse");
});
