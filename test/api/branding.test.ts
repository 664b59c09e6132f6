// Branding over the API (rule B1 of the third contract): drafts, images, and what is refused.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LabelImageKind, LabelTheme } from "../../gen/gatehouse/v1/label_policy_pb.ts";
import { LabelPolicyService } from "../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { addOrganization } from "../sites/login/support/people.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { pngOf } from "../support/images.ts";
import { startService, type TestService } from "../support/service.ts";
import { createCaller } from "../support/world.ts";

const { method } = LabelPolicyService;
let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const product = {
  primaryColor: "#1d4ed8",
  backgroundColor: "#ffffff",
  warnColor: "#b3261e",
  fontColor: "#1b1f24",
};

async function newPlace() {
  const organizationId = await addOrganization(service, "Lamp Works");
  const call = createCaller(service, organizationId);
  const send = (called: (typeof method)[keyof typeof method], request: object) =>
    service.clients.json.call(called, request, {
      token: service.adminToken,
      headers: { "x-service-orgid": organizationId },
    });
  return {
    organizationId,
    call,
    send,
    get: async () => (await call(method.getLabelPolicy, {}))["policy"] as { readonly draft: object },
  };
}

const fetchImage = (path: string) => fetch(`${service.url}${path}`);

function pathOf(answer: object): string {
  return /\/brand\/[0-9a-f]{64}/.exec(JSON.stringify(answer))?.[0] ?? "";
}

describe("a branding", () => {
  test("is a draft until it is made live, and the default where there is none", async () => {
    const { organizationId, call, get } = await newPlace();
    expect(await get()).toMatchObject({
      isDefault: true,
      label: { light: product, theme: "LABEL_THEME_AUTO", cornerRadius: 10 },
      previewPath: `/login/preview/${organizationId}`,
    });
    await call(method.updateLabelPolicy, {
      light: { primaryColor: "#7A1FA2" },
      theme: LabelTheme.LIGHT,
      cornerRadius: 0,
    });
    const draft = {
      light: { ...product, primaryColor: "#7a1fa2" },
      theme: "LABEL_THEME_LIGHT",
      cornerRadius: 0,
    };
    expect(await get()).toMatchObject({ isDefault: true, label: { light: product }, draft });
    await call(method.activateLabelPolicy, {});
    await call(method.updateLabelPolicy, {});
    expect(await get()).toMatchObject({ isDefault: false, label: draft, draft: { light: product } });
    await call(method.resetLabelPolicy, {});
    const after = await get();
    expect(after).toMatchObject({ isDefault: true });
    expect(after).not.toHaveProperty("draft");
  });

  test("that was activated twice is one event", async () => {
    const { call } = await newPlace();
    await call(method.updateLabelPolicy, {});
    const first = await call(method.activateLabelPolicy, {});
    expect(await call(method.activateLabelPolicy, {})).toEqual(first);
  });

  test("is refused if people could not tell its colors apart, with the nearest that pass", async () => {
    const { send } = await newPlace();
    const dark = { fontColor: "#333333" };
    const refused = await send(method.updateLabelPolicy, { light: { primaryColor: "#777777" }, dark });
    expect(refused).toMatchObject({ kind: "error", status: { code: 3 } });
    const text = JSON.stringify(refused);
    expect(text).toContain('"reason":"CONTRAST_TOO_LOW"');
    expect(text).toContain('"field":"light.primary_color","color":"#777777","background":"#ffffff"');
    expect(text).toContain('"nearest_color":"#767676"');
    expect(text).toContain('"field":"dark.font_color"');
  });

  test("has links that are https and name no user, and an email address", async () => {
    const { call, send, get } = await newPlace();
    const links = {
      termsUrl: "https://lamp.example/terms?of=use",
      privacyUrl: "HTTPS://lamp.example:8443/",
      helpUrl: "https://[2001:db8::1]/help",
      supportEmail: "help@lamp.example",
    };
    await call(method.updateLabelPolicy, links);
    expect(await get()).toMatchObject({ draft: links });
    const wrong = [
      "http://lamp.example",
      "javascript:alert(1)",
      "//lamp.example",
      "https://me@lamp.example",
      "help",
    ];
    for (const url of wrong)
      for (const [field, request] of [
        ["terms_url", { termsUrl: url }],
        ["privacy_url", { privacyUrl: url }],
        ["help_url", { helpUrl: url }],
        ["support_email", { supportEmail: url }],
      ] as const) {
        const refused = await send(method.updateLabelPolicy, request);
        expect(refused).toMatchObject({ kind: "error", status: { code: 3 } });
        expect(JSON.stringify(refused)).toContain(`"field":"${field}"`);
      }
  });

  test("goes with its organization", async () => {
    const { organizationId, call } = await newPlace();
    await call(method.setLabelPolicyImage, { kind: LabelImageKind.ICON_DARK, image: pngOf(2, 3) });
    const path = pathOf(await call(method.getLabelPolicy, {}));
    expect((await fetchImage(path)).status).toBe(200);
    await service.call(OrganizationService.method.removeOrganization, { id: organizationId });
    expect((await fetchImage(path)).status).toBe(404);
  });
});

describe("an image of a branding", () => {
  const kind = LabelImageKind.LOGO_LIGHT;

  test("is served under its hash, and can do nothing in a browser", async () => {
    const { call, get } = await newPlace();
    await call(method.setLabelPolicyImage, { kind, image: pngOf(20, 10) });
    const answer = await get();
    expect(answer).toMatchObject({
      draft: {
        images: [{ kind: "LABEL_IMAGE_KIND_LOGO_LIGHT", contentType: "image/png", width: 20, height: 10 }],
      },
    });
    const served = await fetchImage(pathOf(answer));
    expect(served.status).toBe(200);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      "content-type": "image/png",
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
    expect(Buffer.from(await served.arrayBuffer())).toEqual(pngOf(20, 10));
  });

  test("stays while the draft or the live branding has it", async () => {
    const { call, get } = await newPlace();
    const paths: string[] = [];
    for (const side of [4, 5, 6]) {
      await call(method.setLabelPolicyImage, { kind, image: pngOf(side, side) });
      const answer = await get();
      paths.push(pathOf(answer.draft));
      if (side === 4) await call(method.activateLabelPolicy, {});
    }
    const statuses = async () =>
      await Promise.all(paths.map(async (path) => (await fetchImage(path)).status));
    expect(await statuses()).toEqual([200, 404, 200]);
    await call(method.setLabelPolicyImage, { kind });
    expect(await statuses()).toEqual([200, 404, 404]);
    await call(method.activateLabelPolicy, {});
    expect(await statuses()).toEqual([404, 404, 404]);
  });

  test.each([
    [
      "an SVG",
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      "must be a whole PNG, JPEG or WebP image",
    ],
    [
      "one that something follows",
      Buffer.concat([pngOf(2, 2), Buffer.from("<script>")]),
      "nothing after its end",
    ],
    ["one that is too wide", pngOf(2001, 1), "1 to 2000 pixels"],
    ["one that is too large", Buffer.alloc(524_289), "524288"],
  ])("is not %s", async (_name, image, why) => {
    const { send } = await newPlace();
    const refused = await send(method.setLabelPolicyImage, { kind, image });
    expect(refused).toMatchObject({ kind: "error", status: { code: 3 } });
    expect(JSON.stringify(refused)).toContain(why);
  });

  test("is found by nothing but a hash", async () => {
    for (const path of ["/brand/", `/brand/${"a".repeat(64)}`, "/brand/../etc", "/brand/x/y"])
      expect([path, (await fetchImage(path)).status]).toEqual([path, 404]);
  });
});
