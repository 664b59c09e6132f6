import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { PageBrowser } from "../../login/support/browser.ts";
import { type GatewayTrip, startJwtStage } from "./support/jwt-stage.ts";

// Two browsers: an attacker begins a login, and a victim has a session at the gateway, or the other way round.

let attacker: PageBrowser;
let victim: PageBrowser;
/** The session of the victim at the gateway. */
let session: string;
const stage = await startJwtStage();
/** Makes accounts, so that nothing but the guards keeps somebody out. */
const providerId = await stage.addProvider({}, { autoRegister: true });
await stage.linkPerson("victim", providerId);
beforeEach(() => {
  attacker = stage.browser();
  victim = stage.browser();
  session = stage.gateway.logIn("victim");
});
afterAll(() => stage.stop());

/** Looks at everything that a browser can open of a login, and returns where it was let in. */
async function poll(browser: PageBrowser, { id }: GatewayTrip): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of [`/login/${id}`, `/login/${id}/continue`, `/login/${id}/idp`, `/login/${id}/password`]) {
    const { location } = await browser.open(path);
    if (location !== undefined) found.push(location);
  }
  return found;
}

/** Says whether a browser has the session of anybody. */
const isLoggedIn = (browser: PageBrowser) => browser.cookies.has("gh_session");

describe("an attacker who sends the way to the gateway to a victim", () => {
  test("is not let in by the browser of the victim, and the login ends", async () => {
    const trip = await stage.begin(attacker, providerId);
    const before = await stage.countUsers();
    const url = await stage.handleUrl(trip, session);
    expect(await poll(attacker, trip)).toEqual([]);
    const page = await victim.open(url);
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(await poll(attacker, trip)).toEqual([]);
    expect((await attacker.open(`/login/${trip.id}`)).status).toBe(400);
    expect((await attacker.open(url)).status).toBe(400);
    expect([isLoggedIn(attacker), isLoggedIn(victim)]).toEqual([false, false]);
    expect(await stage.countUsers()).toBe(before);
  });

  test("is not let in while the browser of the victim does not go on", async () => {
    const trip = await stage.begin(attacker, providerId);
    await stage.handleUrl(trip, session);
    for (let minute = 0; minute < 3; minute++) {
      expect(await poll(attacker, trip)).toEqual([]);
      stage.service.clock.turn(30_000);
    }
    expect(isLoggedIn(attacker)).toBe(false);
  });

  test("is not let in by going to the gateway once more, or to Gatehouse past it", async () => {
    const trip = await stage.begin(attacker, providerId);
    await stage.handleUrl(trip, session);
    const answer = await attacker.open(trip.path);
    expect([answer.status, answer.location]).toEqual([400, undefined]);
    expect((await stage.gateway.visit(trip.url, "none")).status).toBe(401);
    expect(isLoggedIn(attacker)).toBe(false);
  });

  test("is not let in by the cookie of another login", async () => {
    const trip = await stage.begin(attacker, providerId);
    const url = await stage.handleUrl(trip, session);
    const other = await stage.begin(attacker, providerId);
    const handle = new URL(url).searchParams.get("h");
    const page = await attacker.open(`/login/${other.id}/idp?h=${handle}`);
    expect([page.status, page.location]).toEqual([400, undefined]);
  });

  test("learns no handle from what the gateway or a page shows", async () => {
    const trip = await stage.begin(attacker, providerId);
    const url = await stage.handleUrl(trip, session);
    const handle = new URL(url).searchParams.get("h") ?? "";
    for (const path of [`/login/${trip.id}`, `/login/${trip.id}/idp`]) {
      const { text, headers } = await attacker.send({ method: "GET", url: path });
      expect(`${text}${JSON.stringify([...headers])}`).not.toContain(handle);
    }
  });
});

describe("an attacker who sends the end of the own login to a victim", () => {
  test("does not log the victim in as the attacker", async () => {
    await stage.linkPerson("attacker", providerId);
    const trip = await stage.begin(attacker, providerId);
    const url = await stage.handleUrl(trip, stage.gateway.logIn("attacker"));
    const page = await victim.open(url);
    expect([page.status, page.location, isLoggedIn(victim)]).toEqual([400, undefined, false]);
    expect((await attacker.open(url)).status).toBe(400); // the login has ended
  });

  test("does not bring the identity into a login of the victim", async () => {
    const theirs = await stage.begin(victim, providerId);
    const trip = await stage.begin(attacker, providerId);
    const url = new URL(await stage.handleUrl(trip, stage.gateway.logIn("attacker")));
    const page = await victim.open(`/login/${theirs.id}/idp${url.search}`);
    expect([page.status, page.location, isLoggedIn(victim)]).toEqual([400, undefined, false]);
    const own = await stage.comeBack(victim, await stage.goAgain(victim, theirs.id, providerId), session);
    expect(own.location).toContain("code="); // theirs goes on
  });
});

describe("a browser without the cookie of the login", () => {
  test("ends the login with the handle, for the browser of the login too", async () => {
    const trip = await stage.begin(victim, providerId);
    const url = await stage.handleUrl(trip, session);
    expect((await attacker.open(url)).status).toBe(400);
    const page = await victim.open(url);
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect((await victim.open(`/login/${trip.id}`)).status).toBe(400);
  });

  test("ends nothing with a wrong handle, or with that of another login", async () => {
    const trip = await stage.begin(victim, providerId);
    const own = await stage.handleUrl(trip, session);
    const other = await stage.begin(attacker, providerId);
    const { search } = new URL(await stage.handleUrl(other, stage.gateway.logIn("attacker")));
    for (const query of [`?h=${"A".repeat(43)}`, search, "?h=", ""])
      expect((await attacker.open(`/login/${trip.id}/idp${query}`)).status).toBe(400);
    expect((await victim.open(own)).location).toContain("code=");
  });

  test("is told apart by the value of the cookie, not by its name", async () => {
    const trip = await stage.begin(victim, providerId);
    const url = await stage.handleUrl(trip, session);
    attacker.cookies.set(`gh_login_${trip.id}`, "A".repeat(43));
    const page = await attacker.open(url);
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect((await victim.open(`/login/${trip.id}`)).status).toBe(400);
  });
});

describe("somebody else's request", () => {
  test("is not answered for whoever does not know its userAgentID", async () => {
    const theirs = await stage.begin(victim, providerId);
    const own = await stage.begin(attacker, providerId);
    const userAgentId = new URL(own.url).searchParams.get("userAgentID");
    const url = `${new URL(own.url).origin}/sso?authRequestID=${theirs.id}&userAgentID=${userAgentId}`;
    const answer = await stage.gateway.visit(url, stage.gateway.logIn("attacker"));
    expect([answer.status, answer.location]).toEqual([400, ""]);
    expect((await stage.comeBack(victim, theirs, session)).location).toContain("code=");
  });

  test("of another provider does not take the JWT of this one", async () => {
    const otherId = await stage.addProvider({ issuer: "https://other.example" }, { autoRegister: true });
    const trip = await stage.begin(attacker, otherId);
    const answer = await stage.gateway.visit(trip.url, session);
    expect([answer.status, answer.location]).toEqual([400, ""]);
  });
});
