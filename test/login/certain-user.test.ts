import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  addIdentityPlace,
  addLinkedPerson,
  arrive,
  choicesOf,
  newIdentity,
  readLinks,
  verifyEmailOf,
} from "./support/identities.ts";
import { callback, type LoginStage, startLoginStage } from "./support/login-stage.ts";

// An application has named the only user who may log in, by an id_token_hint.

let stage: LoginStage;
beforeAll(async () => {
  stage = await startLoginStage();
});
afterAll(() => stage.stop());

const count = async () => (await stage.fixture.database.read((tx) => tx.all("SELECT id FROM users"))).length;

describe("an identity, where only a certain user may log in,", () => {
  test("gets no account with auto_register, neither at once nor by the form", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const { id: subject } = await stage.addPerson(place.organization);
    const before = await count();
    for (const claims of [{}, { givenName: undefined }]) {
      const identity = newIdentity(place.provider, claims);
      const { page } = await arrive(stage, place, identity, { subject });
      expect([page.status, page.title, choicesOf(page)]).toEqual([
        403,
        "You have no account here",
        ["another"],
      ]);
      const forced = await page.submit({ choice: "create", given_name: "Ada" });
      expect([forced.status, forced.location]).toEqual([403, undefined]);
    }
    expect([await count(), await readLinks(stage, place.provider)]).toEqual([before, []]);
  });

  test("is offered the login of that user, and of no other", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const person = await stage.addPerson(place.organization);
    const email = await verifyEmailOf(stage, person, place);
    const other = await stage.addPerson(place.organization);
    const identity = newIdentity(place.provider, { email });
    const { page } = await arrive(stage, place, identity, { subject: person.id });
    expect(choicesOf(page)).toEqual(["link", "another"]);
    const { page: foreign } = await arrive(stage, place, identity, { subject: other.id });
    expect(choicesOf(foreign)).toEqual(["another"]);
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
