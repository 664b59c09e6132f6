import { afterAll, describe, expect, test } from "@jest/globals";
import { maxIdentityLinks } from "../../../src/identity/people/identity-links/identity-link.ts";
import {
  addIdentityPlace,
  addLink,
  addLinkedPerson,
  arrive,
  choicesOf,
  choose,
  type IdentityPlace,
  newIdentity,
  readLinks,
  verifyEmailOf,
} from "./support/identities.ts";
import { done, logIn, password, startLoginStage } from "./support/login-stage.ts";
import { makePasskey } from "./support/passkey.ts";
import { giveKey } from "./support/security-key.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const linkTitle = "Do you have an account here?";
const likely = "There seems to be an account of yours";
const last = () => stage.ended.at(-1);

describe("the offer of a login", () => {
  const verifiedPerson = async (place: IdentityPlace, email?: string) => {
    const person = await stage.addPerson(place.organization);
    return { person, email: await verifyEmailOf(stage, person, { ...place, ...(email && { email }) }) };
  };

  test("links the identity after the login with all factors, and the answer of the user, in one write", async () => {
    const place = await addIdentityPlace(stage);
    const { person, email } = await verifiedPerson(place);
    const key = await giveKey(stage, person);
    const identity = newIdentity(place.provider, { email: email.toUpperCase() });
    const { page } = await arrive(stage, place, identity);
    expect([page.status, page.title, choicesOf(page)]).toEqual([200, linkTitle, ["link", "another"]]);
    expect(page.text).toContain(likely);
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
    const payload = { change_required: false, by: "7", made_with_token_id: "8" };
    await stage.event("user.password.set", person, payload);
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

  test("is not made because of the email where the policy says NEVER", async () => {
    const place = await addIdentityPlace(stage, { policy: { linkByVerifiedEmail: "NEVER" } });
    const { person, email } = await verifiedPerson(place);
    const { page } = await arrive(stage, place, newIdentity(place.provider, { email }));
    expect(choicesOf(page)).toEqual(["link", "another"]);
    expect(page.text).not.toContain(likely);
    const at = await addIdentityPlace(stage, {
      policy: { linkByVerifiedEmail: "NEVER" },
      autoRegister: true,
    });
    await verifiedPerson(at, email);
    expect((await arrive(stage, at, newIdentity(at.provider, { email }))).page.location).toBe(done);
    expect(last()?.userId).not.toBe(person.id);
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
      expect(page.text).toContain("the maximum number of others");
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

describe("the login to an account of which nothing is known", () => {
  test.each(["ASK", "NEVER"] as const)(
    "links the identity after all factors that the user has, where the policy says %s",
    async (linkByVerifiedEmail) => {
      const place = await addIdentityPlace(stage, { policy: { linkByVerifiedEmail, forceMfa: false } });
      const person = await stage.addPerson(place.organization);
      const key = await giveKey(stage, person);
      const identity = newIdentity(place.provider);
      const { page } = await arrive(stage, place, identity);
      expect([page.status, page.title, choicesOf(page)]).toEqual([200, linkTitle, ["link", "another"]]);
      expect(page.text).not.toContain(likely);
      const factor = await (await choose(page, "link")).submit({ username: person.username, password });
      expect(factor.title).toBe("Use your security key");
      const early = await factor.submit({ choice: "link" });
      expect([early.title, await readLinks(stage, place.provider)]).toEqual([factor.title, []]);
      const ask = await early.submit({ credential: key.answer(early) });
      expect([choicesOf(ask), await readLinks(stage, place.provider)]).toEqual([["link", "skip"], []]);
      expect((await ask.submit({ choice: "link" })).location).toBe(done);
      expect(await readLinks(stage, place.provider)).toEqual([
        { user_id: person.id, external_user_id: identity.subject },
      ]);
    },
  );

  test("is second beside a new account, and may be by a passkey", async () => {
    const place = await addIdentityPlace(stage, {
      policy: { allowPassword: false },
      autoRegister: true,
    });
    const person = await stage.addPerson(place.organization);
    const passkey = makePasskey(stage, { userId: person.id, resourceOwner: place.organization });
    await stage.fixture.record(...passkey.registered);
    const { browser, page } = await arrive(
      stage,
      place,
      newIdentity(place.provider, { givenName: undefined }),
    );
    expect(choicesOf(page)).toEqual(["create", "link", "another"]);
    const login = await choose(page, "link");
    const device = await browser.open(`${login.path}/passkey`);
    const ask = await device.submit({ credential: passkey.answer(device) });
    expect((await ask.submit({ choice: "link" })).location).toBe(done);
    expect(await readLinks(stage, place.provider)).toMatchObject([{ user_id: person.id }]);
  });

  test("links nothing to a user of another organization than that of the provider", async () => {
    const place = await addIdentityPlace(stage);
    const guest = await stage.addPerson(await stage.addOrganization());
    const { page } = await arrive(stage, place, newIdentity(place.provider));
    const ask = await (await choose(page, "link")).submit({ username: guest.username, password });
    expect([choicesOf(ask), ask.text.includes("cannot be connected")]).toEqual([["skip"], true]);
    expect((await ask.submit({ choice: "link" })).title).toContain("Continue to");
    expect(await readLinks(stage, place.provider)).toEqual([]);
  });

  test("links nothing that somebody else has linked meanwhile", async () => {
    const place = await addIdentityPlace(stage);
    const identity = newIdentity(place.provider);
    const asks = [];
    for (let count = 0; count < 2; count += 1) {
      const person = await stage.addPerson(place.organization);
      const { page } = await arrive(stage, place, identity);
      const ask = await (await choose(page, "link")).submit({ username: person.username, password });
      asks.push({ person, ask });
    }
    for (const { ask } of asks) expect((await ask.submit({ choice: "link" })).location).toBe(done);
    expect(await readLinks(stage, place.provider)).toMatchObject([{ user_id: asks[0]?.person.id }]);
  });

  test("names identity and account to whoever logs in where somebody else has left an identity", async () => {
    const place = await addIdentityPlace(stage);
    const person = await stage.addPerson(place.organization);
    const { browser, page } = await arrive(
      stage,
      place,
      newIdentity(place.provider, { preferredUsername: "mallory" }),
    );
    await choose(page, "link");
    const login = await browser.open(page.path);
    const ask = await login.submit({ username: person.username, password });
    expect(ask.text).toContain(
      `sign in as ${person.username} with your account mallory at ${place.provider.name}`,
    );
    const forged = await ask.submit({ choice: "link" }, { headers: { "sec-fetch-site": "cross-site" } });
    expect([forged.status, await readLinks(stage, place.provider)]).toEqual([403, []]);
    expect((await ask.submit({ choice: "skip" })).location).toBe(done);
    // Nothing of it is left for the next login of the browser.
    expect((await browser.open(stage.path(place.request))).location).toBe(done);
    expect(await readLinks(stage, place.provider)).toEqual([]);
  });

  test("is by no provider, which would bring the identity once more, and can be left", async () => {
    const place = await addIdentityPlace(stage);
    const { person } = await addLinkedPerson(stage, place);
    const { browser, asked, page } = await arrive(stage, place, newIdentity(place.provider));
    expect(asked.text).toContain(place.provider.name);
    const login = await choose(page, "link");
    expect(login.text).not.toContain(place.provider.name);
    const [, path = ""] = /<a href="([^"]*)">Sign in without connecting</.exec(login.text) ?? [];
    const left = await browser.open(path);
    expect(left.text).toContain(place.provider.name);
    expect(left.text).not.toContain("Sign in without connecting");
    expect((await left.submit({ username: person.username, password })).location).toBe(done);
    expect(await readLinks(stage, place.provider)).toHaveLength(1);
  });

  test("comes at once, also where the application asks for a registration", async () => {
    const policy = { allowRegistration: true };
    const place = await addIdentityPlace(stage, { policy });
    const { browser, asked, page } = await arrive(stage, place, newIdentity(place.provider), {
      prompts: ["create"],
    });
    expect([asked.title, page.title]).toEqual(["Create an account", linkTitle]);
    expect((await choose(page, "link")).title).toBe("Sign in");
    expect((await browser.open(`${page.path}/another-way`)).title).toBe("Sign in");
  });
});
