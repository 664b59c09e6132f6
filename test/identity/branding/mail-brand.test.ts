import { describe, expect, test } from "@jest/globals";
import { defaultLabel } from "../../../src/identity/branding/label-policy.ts";
import { type MailBrand, wearBrand } from "../../../src/identity/branding/mail-brand.ts";

const mail = {
  subject: "Set <your> password",
  text: "Hello & welcome\n\nhttps://id.test/a?b=1&c=2\n\nBye\n",
};
const english = { tag: "en", direction: "ltr" } as const;
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
    const { text, html = "" } = wearBrand(mail, hidden, { tag: "ar", direction: "rtl" });
    expect(text).not.toContain("Gatehouse");
    expect(html).not.toMatch(/Gatehouse|<img/);
    expect(html).toContain('<html lang="ar" dir="rtl">');
  });
});
