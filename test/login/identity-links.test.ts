import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { maxIdentityLinks } from "../../src/features/users/identity-links/identity-link.ts";
import {
  addIdentityPlace,
  addLink,
  arrive,
  choicesOf,
  choose,
  type IdentityPlace,
  newIdentity,
  readLinks,
  verifyEmailOf,
} from "./support/identities.ts";
import { callback, logIn, type LoginStage, password, startLoginStage } from "./support/login-stage.ts";
import { makePasskey } from "./support/passkey.ts";
import { makeSecurityKey } from "./support/security-key.ts";

let stage: LoginStage;
beforeAll(async () => {
  stage = await startLoginStage();
});
afterAll(() => stage.stop());

const done = `${callback}?code=1`;
const linkTitle = "Do you have an account here?";
const last = () => stage.ended.at(-1);

describe("the offer of a login", () => {
  const verifiedPerson = async (place: IdentityPlace, email?: string) => {
    const person = await stage.addPerson(place.organization);
    return { person, email: await verifyEmailOf(stage, person, { ...place, ...(email && { email }) }) };
  };

  test("links the identity after the login with all factors, and the answer of the user, in one write", async () => {
    const place = await addIdentityPlace(stage);
    const { person, email } = await verifiedPerson(place);
    const key = makeSecurityKey(stage);
    await stage.fixture.record(...key.registered(person.id, place.organization, "login.example"));
    const identity = newIdentity(place.provider, { email: email.toUpperCase() });
    const { page } = await arrive(stage, place, identity);
    expect([page.status, page.title, choicesOf(page)]).toEqual([200, linkTitle, ["link", "another"]]);
    expect(page.text).not.toContain(person.username);
    const login = await choose(page, "link");
    expect(login.title).toBe("Sign in");
    const factor = await login.submit({ username: person.username, password });
    expect([factor.title, await readLinks(stage, place.provider)]).toEqual(["Use your security key", []]);
    const ask = await factor.submit({ credential: key.answer(factor) });
    expect(ask.title).toBe(`Connect your account with ${place.provider.name}?`);
    expect(ask.text).toContain(person.username);
    expect(await readLinks(stage, place.provider)).toEqual([]);
    const end = await ask.submit({ choice: "link" });
    expect([end.location, last()?.methods]).toEqual([done, ["PASSWORD", "U2F"]]);
    const [linked] = (await stage.fixture.events(person.id)).slice(-1);
    expect(linked).toMatchObject({ type: "user.idp_link.added", editor: person.id });
    const second = (await arrive(stage, place, identity)).page;
    expect((await second.submit({ credential: key.answer(second) })).location).toBe(done);
  });

  test("links the identity after the passkey, if the user has one: the password alone is not enough", async () => {
    const place = await addIdentityPlace(stage);
    const { person, email } = await verifiedPerson(place);
    const owned = { userId: person.id, resourceOwner: place.organization };
    const passkey = makePasskey(stage, owned);
    await stage.fixture.record(...passkey.registered);
    const { browser, page } = await arrive(stage, place, newIdentity(place.provider, { email }));
    const needed = await (await choose(page, "link")).submit({ username: person.username, password });
    expect(needed.title).toBe("Sign in with a passkey");
    const skipped = await browser.open(`${page.path}/link-identity`);
    expect([skipped.title, await readLinks(stage, place.provider)]).toEqual([needed.title, []]);
    const ask = await skipped.submit({ credential: passkey.answer(skipped) });
    expect(choicesOf(ask)).toEqual(["link", "skip"]);
    expect((await ask.submit({ choice: "link" })).location).toBe(done);
    expect(await readLinks(stage, place.provider)).toHaveLength(1);
  });

  test("links nothing if the user has got a passkey since the page asked", async () => {
    const place = await addIdentityPlace(stage);
    const { person, email } = await verifiedPerson(place);
    const { page } = await arrive(stage, place, newIdentity(place.provider, { email }));
    const ask = await (await choose(page, "link")).submit({ username: person.username, password });
    const owned = { userId: person.id, resourceOwner: place.organization };
    await stage.fixture.record(...makePasskey(stage, owned).registered);
    expect((await ask.submit({ choice: "link" })).title).toBe("Sign in with a passkey");
    expect(await readLinks(stage, place.provider)).toEqual([]);
  });

  test("links it so that whoever has set the password of the login answers for the link", async () => {
    const place = await addIdentityPlace(stage);
    const { person, email } = await verifiedPerson(place);
    const about = { aggregateId: person.id, resourceOwner: place.organization };
    const payload = { change_required: false, by: "7", made_with_token_id: "8" };
    await stage.fixture.record({ ...about, type: "user.password.set", payload });
    const { page } = await arrive(stage, place, newIdentity(place.provider, { email }));
    const login = await choose(page, "link");
    const ask = await login.submit({ username: person.username, password });
    expect((await ask.submit({ choice: "link" })).location).toBe(done);
    const [linked] = (await stage.fixture.events(person.id)).slice(-1);
    expect(linked?.payload).toMatchObject({ login_by: "7", login_with_token_id: "8" });
  });

  test("comes first with auto_register, and a new account second", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const { person, email } = await verifiedPerson(place);
    const identity = newIdentity(place.provider, { email });
    const { page } = await arrive(stage, place, identity);
    expect(choicesOf(page)).toEqual(["link", "create", "another"]);
    expect((await choose(page, "create")).location).toBe(done);
    const [link] = await readLinks(stage, place.provider);
    expect(link?.user_id).not.toBe(person.id);
  });

  test("links nothing if the user does not want it", async () => {
    const place = await addIdentityPlace(stage);
    const { person, email } = await verifiedPerson(place);
    const { page } = await arrive(stage, place, newIdentity(place.provider, { email }));
    const ask = await (await choose(page, "link")).submit({ username: person.username, password });
    expect((await ask.submit({ choice: "skip" })).location).toBe(done);
    expect(await readLinks(stage, place.provider)).toEqual([]);
  });

  test("is for the user with the e-mail: nobody else who logs in gets the identity", async () => {
    const place = await addIdentityPlace(stage);
    const { email } = await verifiedPerson(place);
    const other = await stage.addPerson(place.organization);
    const { page } = await arrive(stage, place, newIdentity(place.provider, { email }));
    const ask = await (await choose(page, "link")).submit({ username: other.username, password });
    expect([choicesOf(ask), ask.text.includes("cannot be connected")]).toEqual([["skip"], true]);
    expect((await ask.submit({ choice: "link" })).location).toBe(done);
    expect(await readLinks(stage, place.provider)).toEqual([]);
  });

  test("is not taken by the session of the browser, which may be that of somebody who left", async () => {
    const place = await addIdentityPlace(stage);
    const { person, email } = await verifiedPerson(place);
    const { browser, page } = await arrive(stage, place, newIdentity(place.provider, { email }));
    await choose(page, "link");
    await logIn(stage, browser, person, place.request); // in another window
    const resting = await browser.open(`${page.path}/continue`);
    expect([choicesOf(resting), resting.text.includes("cannot be connected")]).toEqual([["skip"], true]);
    expect((await resting.submit({ choice: "link" })).location).toBe(done);
    expect(await readLinks(stage, place.provider)).toEqual([]);
  });

  test("is not taken by a user who has as many links as anybody may have, who is told so and goes on", async () => {
    const place = await addIdentityPlace(stage);
    const { person, email } = await verifiedPerson(place);
    const ask = async () => {
      const { page } = await arrive(stage, place, newIdentity(place.provider, { email }));
      return await (await choose(page, "link")).submit({ username: person.username, password });
    };
    const before = await ask();
    for (let count = 0; count < maxIdentityLinks; count += 1)
      await addLink(stage, person, { provider: place.provider, identity: newIdentity(place.provider) });
    for (const page of [await before.submit({ choice: "link" }), await ask()]) {
      expect([page.status, choicesOf(page)]).toEqual([403, ["skip"]]);
      expect(page.text).toContain("as many others as it can be");
      expect((await page.submit({ choice: "skip" })).location).toBe(done);
    }
    expect(await readLinks(stage, place.provider)).toHaveLength(maxIdentityLinks);
  });

  test("of two windows links once", async () => {
    const place = await addIdentityPlace(stage);
    const { person, email } = await verifiedPerson(place);
    const identity = newIdentity(place.provider, { email });
    const asks = [];
    for (let window = 0; window < 2; window += 1) {
      const { page } = await arrive(stage, place, identity);
      asks.push(await (await choose(page, "link")).submit({ username: person.username, password }));
    }
    const ends = await Promise.all(asks.map((ask) => ask.submit({ choice: "link" })));
    expect(ends.map(({ location }) => location)).toEqual([done, done]);
    expect(await readLinks(stage, place.provider)).toHaveLength(1);
  });
});
