import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { formsOf } from "../login/support/browser.ts";
import { createHumanUser } from "../../support/world.ts";
import { type LogoutParty, type Part } from "./support/logout-party.ts";
import { attribute } from "./support/elements.ts";
import { type SignedInBrowser, startLogoutStage } from "./support/logout-stage.ts";

const stage = await startLogoutStage();
const asker = await stage.addParty();
const second = await stage.addParty();
const third = await stage.addParty({ services: [{ binding: "post" }] });
afterAll(() => stage.stop());

let browser: SignedInBrowser;
let parts: ReadonlyMap<LogoutParty, Part>;
beforeEach(async () => {
  browser = await stage.signIn();
  parts = await takePart(browser, asker, second, third);
});

/** Lets a user take part at service providers in the session of a browser. */
async function takePart({ session }: SignedInBrowser, ...parties: readonly LogoutParty[]) {
  const taken = new Map<LogoutParty, Part>();
  for (const party of parties) taken.set(party, await party.takePart(session.sessionId));
  return taken;
}

const partOf = (party: LogoutParty): Part => parts.get(party) ?? { nameId: "", sessionIndex: "" };

const begin = async (how: Parameters<LogoutParty["request"]>[1] = {}) =>
  stage.read(await browser.send(asker.request(partOf(asker), how)));

/** Brings the answer of a service provider, follows our redirects, and reads what is sent next. */
async function bring(
  party: LogoutParty,
  requestId: string | undefined,
  how: Parameters<LogoutParty["respond"]>[1] = {},
) {
  const brought = party.respond(requestId, how);
  if (brought.method === "GET") return stage.read(await stage.follow(browser, await browser.send(brought)));
  const cookies = new Map(browser.cookies);
  browser.cookies.clear(); // a POST of another site comes without cookies
  const answer = await browser.send(brought);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return stage.read(await stage.follow(browser, answer));
}

/** Brings a message that is not taken. */
async function refused(by: Pick<SignedInBrowser, "send">, brought: ReturnType<LogoutParty["respond"]>) {
  const answer = await by.send(brought);
  expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
}

describe("a logout goes through the applications of the session (SAML Profiles §4.4.3.3)", () => {
  test("one after the other, by HTTP-Redirect rather than HTTP-POST, and back to the one that asked", async () => {
    const toSecond = await begin({ id: "_first", relayState: "opaque" });
    expect(toSecond).toMatchObject({
      kind: "SAMLRequest",
      binding: "redirect",
      to: second.slo,
      relayState: undefined,
      issuer: `${stage.issuer}/saml/v2/metadata`,
      nameId: partOf(second).nameId,
      sessionIndexes: [partOf(second).sessionIndex],
    });
    expect(attribute(toSecond.root, "Destination")).toBe(second.slo);
    const notOnOrAfter = Date.parse(attribute(toSecond.root, "NotOnOrAfter") ?? "");
    expect(notOnOrAfter - stage.service.clock.nowMs()).toBe(300_000);
    expect(await stage.endsOf(browser)).toEqual(["saml_logout"]);
    expect([...browser.cookies.keys()]).toEqual(["gh_saml_logout"]);
    const toThird = await bring(second, toSecond.id);
    expect(toThird).toMatchObject({
      kind: "SAMLRequest",
      binding: "post",
      to: third.slo,
      nameId: partOf(third).nameId,
      sessionIndexes: [partOf(third).sessionIndex],
    });
    const back = await bring(third, toThird.id, { binding: "post" });
    expect(back).toMatchObject({
      kind: "SAMLResponse",
      binding: "redirect",
      to: asker.slo,
      relayState: "opaque",
      inResponseTo: "_first",
      status: "Success",
    });
    expect(browser.cookies.size).toBe(0);
  });

  test("also from a POST, whose browser shows its session with the GET that follows", async () => {
    const cookies = new Map(browser.cookies);
    browser.cookies.clear();
    const posted = await browser.send(asker.request(partOf(asker), { binding: "post" }));
    expect(await stage.isOver(browser)).toBe(true);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    const toSecond = stage.read(await stage.follow(browser, posted));
    expect([toSecond.kind, toSecond.to]).toEqual(["SAMLRequest", second.slo]);
    expect(browser.cookies.has("gh_session")).toBe(false);
    const toThird = await bring(second, toSecond.id, { binding: "post" });
    const back = await bring(third, toThird.id, { binding: "post" });
    expect([back.binding, back.to, back.status]).toEqual(["post", asker.slo, "Success"]);
  });

  test.each(["redirect", "post"] as const)(
    "only in the browser of the session: by %s from another one nobody learns other names of the user",
    async (binding) => {
      const other = await stage.signIn();
      const answer = await stage.follow(other, await other.send(asker.request(partOf(asker), { binding })));
      const back = stage.read(answer);
      expect([back.to, back.status]).toEqual([asker.slo, "Success/PartialLogout"]);
      expect([await stage.isOver(browser), await stage.isOver(other)]).toEqual([true, false]);
      expect(other.cookies.has("gh_session")).toBe(true);
    },
  );

  test("and says that it is partial when the user has logged in elsewhere too", async () => {
    const elsewhere = await stage.signIn(browser.session.userId);
    await asker.takePart(elsewhere.session.sessionId, partOf(asker).nameId);
    await takePart(elsewhere, second);
    const toSecond = stage.read(await browser.send(asker.request({ nameId: partOf(asker).nameId })));
    expect(toSecond.sessionIndexes).toEqual([partOf(second).sessionIndex]);
    const toThird = await bring(second, toSecond.id);
    expect((await bring(third, toThird.id)).status).toBe("Success/PartialLogout");
    expect(await stage.isOver(elsewhere)).toBe(true);
  });

  test.each(["Responder", "Requester/UnknownPrincipal", "Success/PartialLogout"])(
    "past one that answers %s",
    async (status) => {
      const toSecond = await begin();
      const toThird = await bring(second, toSecond.id, { status });
      expect(toThird.to).toBe(third.slo);
      expect((await bring(third, toThird.id)).status).toBe("Success/PartialLogout");
    },
  );

  test("with a page after five redirects, because browsers follow only twenty in a row", async () => {
    const many: LogoutParty[] = [];
    for (let count = 0; count < 6; count++)
      many.push(await stage.addParty({ services: [{ binding: "redirect" }] }));
    const user = await stage.signIn();
    const part = (await takePart(user, asker, ...many)).get(asker) ?? { nameId: "" };
    let answer = await user.send(asker.request(part));
    const visit = async (party: LogoutParty) => {
      const sent = stage.read(answer);
      expect([sent.kind, sent.to]).toEqual(["SAMLRequest", party.slo]);
      answer = await user.send(party.respond(sent.id));
    };
    for (const party of many.slice(0, 5)) await visit(party);
    expect([answer.status, answer.headers.get("location")]).toEqual([200, null]);
    expect(answer.headers.get("content-security-policy")).toContain("script-src 'sha256-");
    expect(answer.text).toContain("You are being signed out");
    const [form] = formsOf(answer.text);
    answer = await user.send({ method: "GET", url: form?.action ?? "" });
    for (const party of many.slice(5)) await visit(party);
    expect(stage.read(answer)).toMatchObject({ to: asker.slo, status: "Success" });
  });

  test("past those who cannot be asked any more", async () => {
    const { projectId } = stage.world;
    const [off, left, silent] = [
      await stage.addParty(),
      await stage.addParty(),
      await stage.addParty({ services: [] }),
    ];
    await takePart(browser, off, left, silent, await stage.addParty({ hidesKey: true }));
    await off.call(ApplicationService.method.deactivateApplication, { projectId, appId: off.applicationId });
    await left.call(ApplicationService.method.updateSamlSettings, {
      projectId,
      appId: left.applicationId,
      logoutDisabled: true,
    });
    const toSecond = await begin();
    const toThird = await bring(second, toSecond.id);
    expect(toThird.to).toBe(third.slo);
    const back = await bring(third, toThird.id);
    expect([back.to, back.status]).toEqual([asker.slo, "Success/PartialLogout"]);
  });

  test("and tells nobody again who has ended their session", async () => {
    const toSecond = await begin();
    await bring(third, (await bring(second, toSecond.id)).id);
    expect((await begin()).status).toBe("Success");
    const user = browser.session.userId;
    const later = await stage.signIn(user);
    await asker.takePart(later.session.sessionId, partOf(asker).nameId);
    const back = stage.read(await later.send(asker.request({ nameId: partOf(asker).nameId })));
    expect([back.to, back.status]).toEqual([asker.slo, "Success"]);
  });

  test("also where a call has ended the session before, without a browser", async () => {
    const { sessionId } = browser.session;
    await asker.call(SessionService.method.terminateSession, { sessionId });
    const back = await begin();
    expect([back.to, back.status]).toEqual([asker.slo, "Success/PartialLogout"]);
    expect(await stage.endsOf(browser)).toEqual(["terminated"]);
  });

  test("of which nothing is stored in clear", async () => {
    await begin({ relayState: "opaque" });
    const rows = await stage.service.context.database.read((tx) =>
      tx.all<{ content: Uint8Array }>("SELECT content FROM saml_logouts ORDER BY id DESC LIMIT 1"),
    );
    const stored = rows.map(({ content }) => Buffer.from(content).toString("latin1")).join();
    expect(stored).not.toBe("");
    for (const clear of ["opaque", partOf(third).nameId, partOf(third).sessionIndex, asker.applicationId])
      expect(stored).not.toContain(clear);
  });

  test("and ends after fifteen minutes", async () => {
    const toSecond = await begin();
    stage.service.clock.turn(899_000);
    const toThird = await bring(second, toSecond.id);
    stage.service.clock.turn(1000);
    await refused(browser, third.respond(toThird.id));
    expect(toThird.to).toBe(third.slo);
  });
});

describe("an answer is a page, and changes nothing,", () => {
  test("that nobody waits for, or of another service provider", async () => {
    const toSecond = await begin();
    await refused(browser, second.respond("_nothing"));
    await refused(browser, second.respond(undefined));
    await refused(browser, third.respond(toSecond.id));
    await refused(browser, second.respond(toSecond.id, { keys: undefined }));
    await refused(browser, second.respond(toSecond.id, { binding: "post", keys: undefined }));
    expect((await bring(second, toSecond.id)).to).toBe(third.slo);
  });

  test("in another browser", async () => {
    const toSecond = await begin();
    const other = await stage.signIn();
    const answered = second.respond(toSecond.id);
    await refused(other, answered);
    other.cookies.set("gh_saml_logout", "A".repeat(43));
    await refused(other, answered);
    expect((await bring(second, toSecond.id)).to).toBe(third.slo);
  });

  test("by HTTP-POST in another browser, but that its application has answered", async () => {
    const toSecond = await begin();
    const other = await stage.signIn();
    const posted = await other.send(second.respond(toSecond.id, { binding: "post", status: "Responder" }));
    expect(posted.status).toBe(303);
    const url = posted.headers.get("location") ?? "";
    const goOn = { method: "GET", url };
    expect((await other.send(goOn)).status).toBe(400);
    other.cookies.set("gh_saml_logout", "A".repeat(43));
    expect((await other.send(goOn)).status).toBe(400);
    const toThird = stage.read(await browser.send(goOn)); // the browser of the logout is where it was
    expect(toThird.to).toBe(third.slo);
    expect((await bring(third, toThird.id)).status).toBe("Success/PartialLogout");
  });

  test.each([
    ["Success", "Responder", "Success"],
    ["Responder", "Success", "Success/PartialLogout"],
  ])("that its application sends a second time: %s stays after %s", async (first, later, outcome) => {
    const toSecond = await begin();
    const posted = second.respond(toSecond.id, { binding: "post", status: first });
    const answer = await browser.send(posted);
    expect(answer.status).toBe(303);
    await refused(browser, posted);
    await refused(browser, second.respond(toSecond.id, { binding: "post", status: later }));
    await refused(browser, second.respond(toSecond.id, { status: later }));
    const toThird = stage.read(await stage.follow(browser, answer));
    expect(toThird.to).toBe(third.slo);
    expect((await bring(third, toThird.id)).status).toBe(outcome);
  });

  test("in a logout of another user", async () => {
    const other = await stage.signIn(await createHumanUser(stage.service, stage.world.organizationId));
    const part = (await takePart(other, asker, second)).get(asker) ?? { nameId: "" };
    const toSecond = await begin();
    const otherToSecond = stage.read(await other.send(asker.request(part)));
    await refused(other, second.respond(toSecond.id));
    await refused(browser, second.respond(otherToSecond.id));
    expect((await bring(second, toSecond.id)).to).toBe(third.slo);
  });
});
