// The pages of brandings and texts in Chromium: drafts with their preview, images that are drawn again, what becomes live, and what
// pages say.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { CustomTextService } from "../../gen/gatehouse/v1/custom_text_service_pb.ts";
import { LabelPolicyService } from "../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { addOrganization } from "../sites/login/support/people.ts";
import { pngOf } from "../support/images.ts";
import { createCaller } from "../support/world.ts";
import { type ConsoleWindow, facesOf, useConsoleStage } from "./support/console-stage.ts";
import { takePicture } from "./support/face-steps.ts";

const stage = useConsoleStage();
let window: ConsoleWindow;
let organizationId: string;
let place: string;
beforeAll(async () => {
  organizationId = await addOrganization(stage().service, "Rail Works");
  place = `/orgs/${organizationId}/branding`;
  window = await stage().open(place);
});

const read = async () =>
  (await createCaller(stage().service, organizationId)(LabelPolicyService.method.getLabelPolicy, {}))[
    "policy"
  ];
const preview = () => window.page.frameLocator("iframe");
const accent = () =>
  preview()
    .getByRole("button", { name: "Sign in" })
    .evaluate((button) => {
      // @ts-expect-error it runs in the browser, whose types the tests do not have
      const view: { getComputedStyle(of: unknown): { readonly backgroundColor: string } } = globalThis;
      return view.getComputedStyle(button).backgroundColor;
    });
const color = (theme: string, name: string) =>
  window.page.getByRole("group", { name: theme }).getByRole("textbox", { name, exact: true });

describe("the branding of an organization", () => {
  test("is shown while it is chosen, and refuses what people could not read", async () => {
    await window.heading("Branding");
    await preview().getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await accent()).toBe("rgb(29, 78, 216)");
    await color("Light colors", "Buttons and links").fill("#777777");
    await window.page.frames()[1]?.waitForURL(/%23777777/);
    expect(await accent()).toBe("rgb(119, 119, 119)");
    await window.button("Save").click();
    await window.page.getByText("the nearest that pass are #767676 on #ffffff").waitFor();
    await window.button("Use #767676").click();
    expect(await color("Light colors", "Buttons and links").inputValue()).toBe("#767676");
    expect(await window.button("Use #767676").count()).toBe(0);
    await window.button("Save").click();
    await window.notice("The draft was saved.");
    expect(await read()).toMatchObject({ draft: { light: { primaryColor: "#767676" } } });
    await color("Light colors", "Buttons and links").fill("#7a1fa2");
    await window.button("Save").click();
    await window.notice("The draft was saved.");
    expect(await read()).toMatchObject({ isDefault: true, draft: { light: { primaryColor: "#7a1fa2" } } });
  });

  test("has images, which are drawn again", async () => {
    const file = Buffer.concat([pngOf(1600, 400), Buffer.from("taken at home")]);
    await window.page
      .getByLabel("Logo on light ground", { exact: true })
      .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: file });
    await window.notice("The image is in the draft.");
    await preview()
      .getByRole("img", { name: /^Rail Works/ })
      .waitFor();
    expect(await read()).toMatchObject({ draft: { images: [{ width: 1000, height: 250 }] } });
    await window.page
      .getByLabel("Icon on dark ground", { exact: true })
      .setInputFiles({ name: "icon.png", mimeType: "image/png", buffer: Buffer.from("no image") });
    await window.page.getByText("Your browser cannot read this file as an image.").waitFor();
  });

  test("becomes live, and goes again", async () => {
    await window.button("Make the draft live").click();
    await window.notice("The branding is live.");
    expect(await read()).toMatchObject({ isDefault: false, label: { light: { primaryColor: "#7a1fa2" } } });
    await window.button("Use the branding of the instance").click();
    await window.dialog.button("Remove").click();
    await window.page.getByText("The branding of the instance is in force here.").waitFor();
    expect(await read()).toMatchObject({ isDefault: true });
  });
});

describe("the texts of an organization", () => {
  const { getCustomTexts } = CustomTextService.method;
  const changed = async () => {
    const answer = await createCaller(stage().service, organizationId)(getCustomTexts, { language: "it" });
    // As the proto has it.
    const { texts } = answer["texts"] as unknown as {
      readonly texts: readonly { readonly key: string; readonly text: string }[];
    };
    return texts.filter(({ text }) => text !== "").map(({ key, text }) => [key, text]);
  };
  const open = async (row: string) => {
    await window.page.getByRole("row", { name: row }).getByRole("button", { name: "Change" }).click();
  };

  test("are found in a language, beside their defaults, and changed one by one", async () => {
    await window.goTo(`/orgs/${organizationId}/texts`);
    await window.heading("Texts");
    await window.field("Language").selectOption("Italian");
    await window.field("Search in texts and keys").fill("login.password");
    await open("login.password.lead");
    await window.dialog.field("Here optional").fill("continua");
    await window.dialog.button("Save").click();
    await window.page.getByText("must have the placeholders {application} and no others").waitFor();
    await window.dialog.field("Here optional").fill("per andare a {application}");
    await window.dialog.button("Save").click();
    await window.notice("The text was saved.");
    await open("login.password.title");
    await window.dialog.field("Here optional").fill("Benvenuti");
    await window.dialog.button("Save").click();
    await window.page.getByRole("cell", { name: "Benvenuti" }).waitFor();
    expect(await changed()).toEqual([
      ["login.password.title", "Benvenuti"],
      ["login.password.lead", "per andare a {application}"],
    ]);
    expect(window.place()).toContain("language=it");
  });

  test("are as the default again, one by one and all at once", async () => {
    await window.field("Which texts").selectOption("Changed ones");
    await window.page
      .getByRole("row", { name: "login.password.title" })
      .getByRole("button", { name: "Use the default" })
      .click();
    await window.notice("The default holds again.");
    expect(await changed()).toHaveLength(1);
    await window.button("Use all defaults").click();
    await window.dialog.button("Use all defaults").click();
    await window.page.getByText("Nothing fits these filters.").waitFor();
    expect(await changed()).toEqual([]);
  });
});

describe.each(facesOf("dark"))("the pages, $face", ({ face, options }) => {
  test("can be used by everybody", async () => {
    const shown = await stage().open(place, options);
    await shown.heading("Branding");
    await shown.expectAllAccessible(["/branding", place]);
    await takePicture(shown.page, `branding ${face}`);
    await shown.expectAllAccessible(["/texts", `/orgs/${organizationId}/texts?language=ar`]);
    await takePicture(shown.page, `texts ${face}`);
    expect(shown.complaints).toEqual([]);
  });
});
