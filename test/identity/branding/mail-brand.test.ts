import { describe, expect, test } from "@jest/globals";
import { defaultLabel } from "../../../src/identity/branding/label-policy.ts";
import { findLanguage, languages } from "../../../src/identity/texts/languages.ts";
import { type MailBrand, wearBrand } from "../../../src/identity/branding/mail-brand.ts";

const mail = {
  subject: "Set <your> password",
  text: "Hello & welcome\n\nhttps://id.test/a?b=1&c=2\n\nBye\n",
};
const [english] = languages;
const arabic = findLanguage("ar") ?? english;
const hash = "ab".repeat(32);
const look: MailBrand = {
  brand: {
    ...defaultLabel,
    light: { ...defaultLabel.light, primary: "#123123" },
    images: [{ kind: "LOGO_LIGHT", hash, contentType: "image/png", width: 400, height: 96 }],
  },
  organization: 'Lamp "Works"',
  issuer: "https://id.test",
};

describe("a mail", () => {
  test("stays plain where nobody has set a branding", () => {
    expect(wearBrand(mail, undefined, english)).toEqual(mail);
  });

  test("wears colors and logo, and is signed by the organization and the product", () => {
    const { text, html = "" } = wearBrand(mail, look, english);
    expect(text).toBe(`${mail.text}\n-- \nLamp "Works"\nGatehouse\n`);
    expect(html).toContain('<html lang="en" dir="ltr">');
    expect(html).toContain("<title>Set &lt;your&gt; password</title>");
    expect(html).toContain("Hello &amp; welcome");
    expect(html).toMatch(
      /<a href="https:\/\/id.test\/a\?b=1&amp;c=2" style="[^"]*background:#123123;color:#ffffff/,
    );
    expect(html).toContain(
      `<img src="https://id.test/brand/${hash}" alt="Lamp &quot;Works&quot;" width="200" height="48"`,
    );
    expect(html).toContain("Lamp &quot;Works&quot; · Gatehouse");
  });

  test("leaves out the name of the product, and images where the service has no pages", () => {
    const hidden = { ...look, brand: { ...look.brand, hideProductName: true }, issuer: undefined };
    const { text, html = "" } = wearBrand(mail, hidden, arabic);
    expect(text).not.toContain("Gatehouse");
    expect(html).not.toMatch(/Gatehouse|<img/);
    expect(html).toContain('<html lang="ar" dir="rtl">');
  });

  test("ends with the links that there are", () => {
    const links = {
      termsUrl: "https://lamp.example/terms?a=1&b=2",
      privacyUrl: "",
      helpUrl: "https://lamp.example/help",
      supportEmail: "a+b&c@lamp.example",
    };
    const { text, html = "" } = wearBrand(mail, { ...look, brand: { ...look.brand, links } }, english);
    expect(text).toContain(
      "\nGatehouse\nTerms: https://lamp.example/terms?a=1&b=2\nHelp: https://lamp.example/help\na+b&c@lamp.example\n",
    );
    expect(html).toMatch(/<a href="https:\/\/lamp.example\/terms\?a=1&amp;b=2" style="[^"]*">Terms<\/a> · /);
    expect(html).toContain('<a href="mailto:a%2Bb%26c@lamp.example"');
    expect(html).not.toContain("Privacy");
  });
});
