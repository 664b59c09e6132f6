// What is remembered of how pages look and speak, so that a page asks the database nothing where nobody has changed anything.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createBrands, readLook, readOwnBrand } from "../../../src/identity/branding/brands.ts";
import { defaultLabel, toLabelPayload } from "../../../src/identity/branding/label-policy.ts";
import { addCustomTexts } from "../../../src/identity/texts/custom-texts.ts";
import { languages } from "../../../src/identity/texts/languages.ts";
import type { ReadTransaction } from "../../../src/kernel/base/database.ts";
import { type CustomTextsId, type OrganizationId, toId } from "../../../src/kernel/base/ids.ts";
import { type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { liveLabel } from "../../support/live-label.ts";

const [english] = languages;
const colored = { light: { ...defaultLabel.light, primary: "#123123" } };
const hello = [{ key: "login.password.title", text: "Hello" }];
/** No transaction at all. */
const nothing = {} as unknown as ReadTransaction; // a statement of it would fail

let fixture: FeatureFixture;
beforeAll(async () => {
  fixture = await openFeatureFixture();
});
afterAll(() => fixture.close());

const wear = (resourceOwner: string) =>
  fixture.record(...liveLabel({ aggregateId: fixture.context.ids.next(), resourceOwner }, colored));
const say = async (resourceOwner: string) => {
  const id: CustomTextsId = toId(fixture.context.ids.next());
  await fixture.record(addCustomTexts({ id, resourceOwner, language: "en", texts: hello }));
  return () => fixture.record({ type: "custom_texts.removed", aggregateId: id, resourceOwner, payload: {} });
};

describe("the look of an organization", () => {
  test("takes no statement where it has nothing of its own", async () => {
    const brands = createBrands(fixture.database);
    const organizationId = await fixture.addOrganization();
    await brands.refresh();
    const look = await readLook(nothing, brands, { language: english, organizationId });
    expect(look).toEqual({ brand: undefined, language: english });
  });

  test("is read from the commit on that gives it a branding, or texts, until that takes them away", async () => {
    const brands = createBrands(fixture.database);
    const read = async (organizationId: OrganizationId) => {
      await brands.refresh();
      const asked = { language: english, organizationId };
      const { brand, language } = await fixture.database.read((tx) => readLook(tx, brands, asked));
      const title = language.words.login.password.title;
      return [brands.mayDiffer(organizationId), brand?.light.primary, title];
    };
    const [one, other] = [await fixture.addOrganization(), await fixture.addOrganization()];
    const standard = english.words.login.password.title;
    expect(await read(one)).toEqual([false, undefined, standard]);
    await wear(one);
    const takeAway = await say(other);
    expect(await read(one)).toEqual([true, "#123123", standard]);
    expect(await read(other)).toEqual([true, undefined, "Hello"]);
    await takeAway();
    expect(await read(other)).toEqual([false, undefined, standard]);
  });

  test("is read of each organization where more have one than are remembered, and before any was learned", async () => {
    const brands = createBrands(fixture.database, 1);
    const without = await fixture.addOrganization();
    expect(brands.mayDiffer(without)).toBe(true);
    const [one, other] = [await fixture.addOrganization(), await fixture.addOrganization()];
    await wear(one);
    await wear(other);
    await brands.refresh();
    expect(brands.mayDiffer(without)).toBe(true);
  });

  test("has no links in the row of an earlier version", async () => {
    const resourceOwner = await fixture.addOrganization();
    await wear(resourceOwner);
    const payload = { ...toLabelPayload(defaultLabel), terms_url: undefined, support_email: undefined };
    const row = JSON.stringify({ ...payload, privacy_url: undefined, help_url: undefined });
    await fixture.database.write((tx) =>
      tx.run("UPDATE label_policies SET live = ? WHERE resource_owner = ?", [row, resourceOwner]),
    );
    const brand = await fixture.database.read((tx) => readOwnBrand(tx, resourceOwner));
    expect(brand).toEqual(defaultLabel);
  });
});
