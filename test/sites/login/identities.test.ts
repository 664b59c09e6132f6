import { findSession } from "../../../src/identity/logins/sessions/repository.ts";
import { afterAll, describe, expect, test } from "@jest/globals";
import type { BrowserPage } from "./support/browser.ts";
import {
  addIdentityPlace,
  addLinkedPerson,
  addProvider,
  arrive,
  chooseAnotherWay,
  choicesOf,
  choose,
  type IdentityPlace,
  newIdentity,
  readLinks,
  verifyEmailOf,
} from "./support/identities.ts";
import { comeBack } from "./support/identity-site.ts";
import { done, logIn, password, startLoginStage } from "./support/login-stage.ts";
import { giveKey } from "./support/security-key.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const askTitle = "Do you have an account here?";
const noneTitle = "You have no account here";
const fieldsOf = (page: BrowserPage) => [...page.text.matchAll(/<input id="([a-z_]+)"/g)].map(([, id]) => id);
const last = () => stage.ended.at(-1);

const addLinked = (place: IdentityPlace) => addLinkedPerson(stage, place);

async function findUser(username: string) {
  return await stage.fixture.database.read((tx) =>
    tx.get<Readonly<Record<string, unknown>>>("SELECT * FROM users WHERE username = ?", [username]),
  );
}

describe("an identity that is linked to a user", () => {
  test("logs the user in, with the method IDP and nothing else", async () => {
    const place = await addIdentityPlace(stage);
    const { person, identity } = await addLinked(place);
    const { page } = await arrive(stage, place, identity);
    expect([page.location, last()?.userId, last()?.methods]).toEqual([done, person.id, ["IDP"]]);
    const { sessionId = "" } = last() ?? {};
    const session = await stage.fixture.database.read((tx) => findSession(tx, sessionId));
    expect(session?.checks).toMatchObject([{ method: "IDP", issuer: identity.issuer }]);
  });

  test("asks for the second factor of the user, who has none of it before", async () => {
    const place = await addIdentityPlace(stage);
    const { person, identity } = await addLinked(place);
    const key = await giveKey(stage, person);
    const { page } = await arrive(stage, place, identity);
    expect(page.title).toBe("Use your security key");
    const end = await page.submit({ credential: key.answer(page) });
    expect([end.location, last()?.methods]).toEqual([done, ["IDP", "U2F"]]);
  });

  test.each(["user.locked", "user.deactivated", "user.removed", "organization.deactivated"] as const)(
    "lets nobody in after %s",
    async (type) => {
      const place = await addIdentityPlace(stage);
      const { person, identity } = await addLinked(place);
      const browser = stage.browser();
      const asked = await browser.open(stage.path({ ...place.request, applicationId: stage.application }));
      expect(asked.title).toBe("Sign in");
      const begun = await browser.open(stage.path(place.request));
      const aggregateId = type === "organization.deactivated" ? place.organization : person.id;
      await stage.fixture.record({ type, aggregateId, resourceOwner: place.organization, payload: {} });
      const count = stage.ended.length;
      const page = await comeBack(browser, begun, identity);
      expect([page.location, page.text.includes(person.username)]).toEqual([undefined, false]);
      expect(stage.ended).toHaveLength(count);
    },
  );

  test("is another one at another provider, at another issuer, and with another subject", async () => {
    const place = await addIdentityPlace(stage);
    const { identity } = await addLinked(place);
    const other = await addProvider(stage, place.organization);
    const strangers = [
      { ...identity, providerId: other.id },
      { ...identity, subject: identity.subject.toUpperCase() },
    ];
    for (const stranger of strangers)
      expect((await arrive(stage, place, stranger)).page.title).toBe(askTitle);
    // The provider has another issuer since: its former identities are nobody's, and come back to nobody.
    const { stylingType: styling_type, autoRegister: auto_register, name, config } = place.provider;
    if (config.kind !== "oidc") throw new Error("a provider of OpenID Connect was expected");
    await stage.fixture.record({
      type: "identity_provider.changed",
      aggregateId: place.provider.id,
      resourceOwner: place.organization,
      payload: {
        name,
        styling_type,
        auto_register,
        oidc: {
          client_id: config.clientId,
          client_secret_id: config.clientSecretId,
          issuer: "https://new.example",
          scopes: [],
          display_name_mapping: config.displayNameMapping,
          username_mapping: config.usernameMapping,
        },
      },
    });
    expect((await arrive(stage, place, { ...identity, issuer: "https://new.example" })).page.title).toBe(
      askTitle,
    );
    expect((await arrive(stage, place, identity)).page.status).toBe(403);
  });

  test("that others made and the user is to decide about lets nobody in until the user keeps it", async () => {
    const place = await addIdentityPlace(stage);
    const { person, identity, linkId } = await addLinked(place);
    const session = stage.browser();
    await logIn(stage, session, person, place.request);
    await stage.event("user.idp_link.questioned", person, { link_id: linkId });
    const { browser, page } = await arrive(stage, place, identity);
    expect([page.status, page.title]).toEqual([403, "This account needs your confirmation"]);
    expect((await chooseAnotherWay(browser, page)).title).toBe("Sign in");
    // A session from before does not count: the next login asks.
    const again = await session.open(stage.path(place.request));
    expect(again.title).toBe("Sign in");
    const review = await again.submit({ username: person.username, password });
    expect(review.title).toBe("Are these yours?");
    expect(review.text).toContain(`Account ${identity.subject} at ${place.provider.name}`);
    expect((await review.submit({ [`factor-${linkId}`]: "" })).problem).toContain(
      "whether to keep or remove it",
    );
    expect((await review.submit({ [`factor-${linkId}`]: "keep" })).location).toBe(done);
    expect((await arrive(stage, place, identity)).page.location).toBe(done);
    await stage.event("user.idp_link.questioned", person, { link_id: linkId });
    const second = await logIn(stage, stage.browser(), person, place.request);
    expect((await second.submit({ [`factor-${linkId}`]: "remove" })).location).toBe(done);
    expect((await arrive(stage, place, identity)).page.title).toBe(askTitle);
    expect(await readLinks(stage, place.provider)).toEqual([]);
  });
});

describe("a provider that is not offered", () => {
  const off = (page: BrowserPage) => [page.status, page.title];
  const refused = [403, "This way to sign in is switched off"];

  test("ends a begun login, whatever comes back, and makes nothing", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const { identity } = await addLinked(place);
    const foreign = await addIdentityPlace(stage, { autoRegister: true });
    const browser = stage.browser();
    const asked = await browser.open(stage.path(place.request));
    expect(off(await comeBack(browser, asked, newIdentity(foreign.provider)))).toEqual(refused);
    await stage.event("identity_provider.deactivated", { ...place, id: place.provider.id });
    const count = await stage.fixture.eventCount();
    for (const one of [identity, newIdentity(place.provider)])
      expect(off(await comeBack(browser, asked, one))).toEqual(refused);
    expect(await stage.fixture.eventCount()).toBe(count);
    await stage.event("identity_provider.reactivated", { ...place, id: place.provider.id });
    expect((await comeBack(browser, asked, identity)).location).toBe(done);
  });

  test("is one that the organization's own policy does not list, or that allows none", async () => {
    const place = await addIdentityPlace(stage, { policy: {}, autoRegister: true });
    const unlisted = await addProvider(stage, place.organization, { autoRegister: true });
    expect(off((await arrive(stage, place, newIdentity(unlisted))).page)).toEqual(refused);
    expect((await arrive(stage, place, newIdentity(place.provider))).page.location).toBe(done);
    const none = await addIdentityPlace(stage, { policy: { allowExternalIdps: false }, autoRegister: true });
    expect(off((await arrive(stage, none, newIdentity(none.provider))).page)).toEqual(refused);
  });

  test("ends a login that still needs a factor, an answer, or the link", async () => {
    const place = await addIdentityPlace(stage);
    const { person, identity } = await addLinked(place);
    const key = await giveKey(stage, person);
    const { page: factor, browser } = await arrive(stage, place, identity);
    const email = await verifyEmailOf(stage, person, place);
    const { page: offer, browser: asking } = await arrive(
      stage,
      place,
      newIdentity(place.provider, { email }),
    );
    expect(choicesOf(offer)).toEqual(["link", "another"]);
    const arrived = await arrive(stage, place, newIdentity(place.provider, { email }));
    const linking = arrived.page;
    const asked = await (await choose(linking, "link")).submit({ username: person.username, password });
    const link = await asked.submit({ credential: key.answer(asked) });
    expect(choicesOf(link)).toEqual(["link", "skip"]);
    await stage.event("identity_provider.deactivated", { ...place, id: place.provider.id });
    const count = await stage.fixture.eventCount();
    const ends = [
      [browser, await factor.submit({ credential: key.answer(factor) })],
      [asking, await choose(offer, "link")],
      [arrived.browser, await link.submit({ choice: "link" })],
    ] as const;
    expect(ends.map(([, page]) => off(page))).toEqual([refused, refused, refused]);
    expect(await stage.fixture.eventCount()).toBe(count);
    const others = await Promise.all(ends.map(([from, page]) => chooseAnotherWay(from, page)));
    // Whoever has logged in otherwise is in without the identity.
    expect(others.map(({ title, location }) => location ?? title)).toEqual(["Sign in", "Sign in", done]);
    expect(await readLinks(stage, place.provider)).toHaveLength(1);
  });

  test("or a link that is removed meanwhile ends the login of its user", async () => {
    const place = await addIdentityPlace(stage);
    const { person, identity, linkId } = await addLinked(place);
    const key = await giveKey(stage, person);
    const { browser, page } = await arrive(stage, place, identity);
    await stage.event("user.idp_link.removed", person, { link_id: linkId });
    const end = await page.submit({ credential: key.answer(page) });
    expect([end.status, end.title]).toEqual([403, "You cannot sign in with this account"]);
    const another = await chooseAnotherWay(browser, end);
    const again = await another.submit({ username: person.username, password });
    expect((await again.submit({ credential: key.answer(again) })).location).toBe(done);
  });
});

describe("an identity that is linked to nobody", () => {
  test("gets no account without auto_register, and is asked for one that is there", async () => {
    const place = await addIdentityPlace(stage, { name: "Company & Co" });
    const identity = newIdentity(place.provider, { preferredUsername: "<b>grace</b>" });
    const { page } = await arrive(stage, place, identity);
    expect([page.status, page.title, choicesOf(page)]).toEqual([200, askTitle, ["link", "another"]]);
    expect(page.text).toContain("with Company &amp; Co as &lt;b&gt;grace&lt;/b&gt;");
    const forged = await page.submit({ choice: "create", username: "x", given_name: "x" });
    expect([forged.title, await readLinks(stage, place.provider)]).toEqual([askTitle, []]);
    expect((await choose(page, "another")).title).toBe("Sign in");
  });

  test("is led back to the other ways where nobody logs in here", async () => {
    const policy = { allowPassword: false, allowPasskeys: false };
    const place = await addIdentityPlace(stage, { policy, name: "Company & Co" });
    const identity = newIdentity(place.provider, { preferredUsername: "<b>grace</b>" });
    const { page } = await arrive(stage, place, identity);
    expect([page.status, page.title, choicesOf(page)]).toEqual([403, noneTitle, ["another"]]);
    expect(page.text).toContain("&lt;b&gt;grace&lt;/b&gt; at Company &amp; Co");
    for (const choice of ["create", "link"])
      expect((await page.submit({ choice, username: "x", given_name: "x" })).title).toBe(noneTitle);
    expect(await readLinks(stage, place.provider)).toEqual([]);
    expect((await choose(page, "another")).title).toBe("Sign in");
  });

  test("gets an account with auto_register, in the organization of the provider, by one write of the system", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const identity = newIdentity(place.provider, { locale: "de_CH" });
    const { page } = await arrive(stage, place, identity);
    const id = last()?.userId ?? "";
    expect([page.location, last()?.methods]).toEqual([done, ["IDP"]]);
    const events = await stage.fixture.events(id);
    expect(events.map(({ type, editor, resource_owner: owner }) => [type, editor, owner])).toEqual(
      ["user.added", "user.email.set", "user.email.verified", "user.idp_link.added"].map((type) => [
        type,
        "system",
        place.organization,
      ]),
    );
    expect(new Set(events.map(({ date }) => date)).size).toBe(1);
    expect(await findUser(identity.claims.preferredUsername ?? "")).toMatchObject({
      id,
      email: identity.claims.email,
      is_email_verified: 1,
      given_name: "Grace",
      family_name: "Hopper",
      preferred_language: "de-CH",
      resource_owner: place.organization,
    });
    expect(await readLinks(stage, place.provider)).toEqual([
      { user_id: id, external_user_id: identity.subject },
    ]);
    await arrive(stage, place, { ...identity, claims: { emailVerified: false } });
    expect(last()?.userId).toBe(id);
  });

  test("gets an unverified email where the provider does not say that it is verified", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const identity = newIdentity(place.provider, { emailVerified: false });
    await arrive(stage, place, identity);
    expect(await findUser(identity.claims.preferredUsername ?? "")).toMatchObject({
      email: identity.claims.email,
      is_email_verified: 0,
    });
  });

  test("is asked for what the provider does not say, and for nothing that it says", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const identity = newIdentity(place.provider, { email: undefined, givenName: undefined });
    const { page } = await arrive(stage, place, identity);
    expect([page.title, choicesOf(page), fieldsOf(page)]).toEqual([
      askTitle,
      ["create", "link", "another"],
      ["given_name", "email"],
    ]);
    expect((await choose(page, "create")).problem).toContain("first name");
    expect((await choose(page, "create", { given_name: "Ada", email: "none" })).problem).toContain("email");
    const typed = {
      given_name: "Ada",
      email: "typed@example.test",
      username: "another",
      family_name: "Else",
    };
    expect((await choose(page, "create", typed)).location).toBe(done);
    expect(await findUser(identity.claims.preferredUsername ?? "")).toMatchObject({
      given_name: "Ada",
      family_name: "Hopper",
      email: "typed@example.test",
      is_email_verified: 0,
    });
    expect(await findUser("another")).toBeUndefined();
  });

  test("is asked for another username where its own is taken, and is never led to that account", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const taken = await stage.addPerson(place.organization);
    const identity = newIdentity(place.provider, { preferredUsername: taken.username.toUpperCase() });
    const { page } = await arrive(stage, place, identity);
    expect([choicesOf(page), fieldsOf(page)]).toEqual([["create", "link", "another"], ["username"]]);
    expect((await choose(page, "create", { username: taken.username })).problem).toContain(
      "Somebody else has this username",
    );
    expect((await choose(page, "create", { username: `${taken.username}-2` })).location).toBe(done);
    expect((await readLinks(stage, place.provider)).map(({ user_id: id }) => id)).not.toContain(taken.id);
  });

  test("gets one account however often the form is sent at once", async () => {
    const place = await addIdentityPlace(stage, { autoRegister: true });
    const identity = newIdentity(place.provider, { givenName: undefined });
    const [one, two] = await Promise.all([arrive(stage, place, identity), arrive(stage, place, identity)]);
    const ends = await Promise.all(
      [one.page, one.page, two.page].map((page) => choose(page, "create", { given_name: "Ada" })),
    );
    expect(ends.filter(({ location }) => location === done).length).toBeGreaterThanOrEqual(2);
    expect(await readLinks(stage, place.provider)).toHaveLength(1);
  });
});
