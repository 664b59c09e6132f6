// Pages beside those of a login that wear a branding (rule B1 of the third contract), and the page that shows a draft.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LabelImageKind, LabelTheme } from "../../../gen/gatehouse/v1/label_policy_pb.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { findInstanceId } from "../../../src/identity/instance/repository.ts";
import { pngOf } from "../../support/images.ts";
import { createCaller } from "../../support/world.ts";
import { startAccountPlace } from "./support/account-place.ts";

const { method } = LabelPolicyService;
const place = await startAccountPlace();
afterAll(() => place.stop());
const { service, organizationId } = place;
const inside = createCaller(service, organizationId);

const colors = { live: "#123123", draft: "#456456", instance: "#321321" };
const accentOf = (text: string) => /--accent:light-dark\((#\w{6}),/.exec(text)?.[1];
const preview = `/login/preview/${organizationId}`;

beforeAll(async () => {
  const logo = { kind: LabelImageKind.LOGO_LIGHT, image: pngOf(30, 10) };
  await inside(method.setLabelPolicyImage, logo);
  const links = { termsUrl: "https://lamp.example/terms?a=1&b=2", supportEmail: "help@lamp.example" };
  await inside(method.updateLabelPolicy, { light: { primaryColor: colors.live }, ...links });
  await inside(method.activateLabelPolicy, {});
  await inside(method.updateLabelPolicy, { light: { primaryColor: colors.draft }, theme: LabelTheme.DARK });
});

describe("the account", () => {
  test("wears the branding of the organization of the user, also when they have left", async () => {
    const { browser, page } = await place.open("/account", await place.addPerson());
    expect(accentOf(page.text)).toBe(colors.live);
    expect(page.text).toMatch(
      /<img src="\/brand\/[0-9a-f]{64}" alt="Lamp Works [^"]*" width="30" height="10">/,
    );
    const toLink = (attributes: string, text: string) =>
      `<li><a ${attributes} rel="noopener noreferrer">${text}</a></li>`;
    const terms = toLink('href="https://lamp.example/terms?a=1&amp;b=2" target="_blank"', "Terms");
    const support = toLink('href="mailto:help@lamp.example"', "help@lamp.example");
    expect(page.text).toContain(`<footer>Gatehouse<ul>${terms}\n${support}\n</ul></footer>`);
    const left = await (await browser.open("/account/sign-out")).submit({});
    expect([left.title, accentOf(left.text)]).toEqual(["You are signed out", colors.live]);
  });
});

describe("the preview of a draft", () => {
  const openAs = async (roles: readonly string[]) => {
    const person = await place.addPerson();
    if (roles.length > 0)
      await service.call(MembershipService.method.addMembership, {
        userId: person.id,
        scope: { case: "organizationId", value: organizationId },
        roles: [...roles],
      });
    return (await place.open("/account", person)).browser;
  };

  test("is for those who may change the branding", async () => {
    const browser = await openAs(["ORGANIZATION_OWNER"]);
    const page = await browser.open(preview);
    expect([page.status, accentOf(page.text)]).toEqual([200, colors.draft]);
    expect(page.text).toContain("color-scheme:only dark");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    expect(page.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    expect(page.text).not.toMatch(/type="submit"|action=/);
    const instanceId = await service.context.database.read(findInstanceId);
    for (const other of ["/login/preview/1", "/login/preview/", `/login/preview/${instanceId}`])
      expect((await browser.open(other)).status).toBe(404);
  });

  test("takes values that are not in the draft, and nothing else", async () => {
    const browser = await openAs(["ORGANIZATION_OWNER"]);
    const query = new URLSearchParams({
      theme: "LIGHT",
      radius: "3",
      "light.primary": "#ABCDEF",
      "light.font": "red;}body{display:none",
      "dark.warn": "</style><script>alert(1)</script>",
    });
    const { text } = await browser.open(`${preview}?${query.toString()}`);
    expect(text).toContain("color-scheme:only light;");
    expect(text).toContain("--radius:3px");
    expect(accentOf(text)).toBe("#abcdef");
    expect(text).not.toMatch(/display:none|alert\(/);
  });

  test.each([[[]], [["ORGANIZATION_VIEWER"]], [["ORGANIZATION_USER_MANAGER"]]])(
    "is for nobody else (%j)",
    async (roles) => {
      expect((await (await openAs(roles)).open(preview)).status).toBe(404);
      expect((await place.browser().open(preview)).status).toBe(404);
    },
  );
});

describe("the branding of the instance", () => {
  test("is worn by every page that has no other, without the name of the product if it is hidden", async () => {
    const settings = { light: { primaryColor: colors.instance }, hideProductName: true };
    await service.call(method.updateDefaultLabelPolicy, settings);
    const pages = () =>
      Promise.all(
        ["/login/999", "/account", "/account/signed-out", "/nothing/here"].map((path) =>
          place.browser().open(path, { accept: "text/html" }),
        ),
      );
    expect((await pages()).map(({ text }) => accentOf(text))).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
    await service.call(method.activateDefaultLabelPolicy, {});
    const start = await place.browser().open("/", { accept: "text/html" });
    expect(accentOf(start.text)).toBe(colors.instance);
    for (const { path, text } of await pages()) {
      expect([path, accentOf(text)]).toEqual([path, colors.instance]);
      expect(text).not.toMatch(/<title>[^<]*Gatehouse|<p class="name">|<footer>Gatehouse/);
    }
  });
});
