import { afterAll, describe, expect, test } from "@jest/globals";
import type { BrowserPage } from "./support/browser.ts";
import {
  addIdentityPlace,
  addLinkedPerson,
  arrive,
  choicesOf,
  choose,
  newIdentity,
  readLinks,
  verifyEmailOf,
} from "./support/identities.ts";
import { callback, password, startLoginStage } from "./support/login-stage.ts";

// An application has named the only user who may log in, by an id_token_hint.

const stage = await startLoginStage();
afterAll(() => stage.stop());

const askTitle = "Do you have an account here?";
const isLikely = (page: BrowserPage) => page.text.includes("There seems to be an account of yours");
const count = async () => (await stage.fixture.database.read((tx) => tx.all("SELECT id FROM users"))).length;

describe("an identity, where only a certain user may log in,", () => {
  test("gets no account with auto_register, neither at once nor by the form", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const { id: subject } = await stage.addPerson(place.organization);
    const before = await count();
    for (const claims of [{}, { givenName: undefined }]) {
      const identity = newIdentity(place.provider, claims);
      const { page } = await arrive(stage, place, identity, { subject });
      expect([page.status, page.title, choicesOf(page)]).toEqual([200, askTitle, ["link", "another"]]);
      const forced = await page.submit({ choice: "create", given_name: "Ada" });
      expect([forced.title, forced.location]).toEqual([askTitle, undefined]);
    }
    expect([await count(), await readLinks(stage, place.provider)]).toEqual([before, []]);
  });

  test("is offered the login of that user first, and of no other", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const person = await stage.addPerson(place.organization);
    const email = await verifyEmailOf(stage, person, place);
    const other = await stage.addPerson(place.organization);
    const identity = newIdentity(place.provider, { email });
    const { page } = await arrive(stage, place, identity, { subject: person.id });
    expect([choicesOf(page), isLikely(page)]).toEqual([["link", "another"], true]);
    const { page: foreign } = await arrive(stage, place, identity, { subject: other.id });
    expect([choicesOf(foreign), isLikely(foreign)]).toEqual([["link", "another"], false]);
  });

  test("is linked to that user, and to nobody else who logs in", async () => {
    const place = await addIdentityPlace(stage);
    const person = await stage.addPerson(place.organization);
    const other = await stage.addPerson(place.organization);
    const arriving = async () => {
      const { page } = await arrive(stage, place, newIdentity(place.provider), { subject: person.id });
      return await choose(page, "link");
    };
    const refused = await (await arriving()).submit({ username: other.username, password });
    expect([choicesOf(refused), refused.text.includes("cannot be connected")]).toEqual([["skip"], true]);
    const end = await refused.submit({ choice: "link" });
    expect([end.location, await readLinks(stage, place.provider)]).toEqual([
      `${callback}?error=login_required`,
      [],
    ]);
    const ask = await (await arriving()).submit({ username: person.username, password });
    expect((await ask.submit({ choice: "link" })).location).toBe(`${callback}?code=1`);
    expect(await readLinks(stage, place.provider)).toMatchObject([{ user_id: person.id }]);
  });

  test("is offered no login of a user of another organization, to whom it cannot be linked", async () => {
    const place = await addIdentityPlace(stage);
    const { id: subject } = await stage.addPerson(await stage.addOrganization());
    const { page } = await arrive(stage, place, newIdentity(place.provider), { subject });
    expect([page.status, page.title, choicesOf(page)]).toEqual([
      403,
      "You have no account here",
      ["another"],
    ]);
  });

  test("logs in as that user, and the application hears that it was another", async () => {
    const place = await addIdentityPlace(stage);
    const { person, identity } = await addLinkedPerson(stage, place);
    const { id: subject } = await stage.addPerson(place.organization);
    expect((await arrive(stage, place, identity, { subject: person.id })).page.location).toBe(
      `${callback}?code=1`,
    );
    const { page } = await arrive(stage, place, identity, { subject });
    expect(page.location).toBe(`${callback}?error=login_required`);
  });
});
