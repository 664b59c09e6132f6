// Names that a service provider was given in one session, and names that pass from one user to another.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SamlEncryption } from "../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { formsOf } from "../login/support/browser.ts";
import { createPerson } from "../oidc/support/login-place.ts";
import type { LogoutParty } from "./support/logout-party.ts";
import { type LogoutStage, type SignedInBrowser, startLogoutStage } from "./support/logout-stage.ts";
import { toQuery, writeRequest } from "./support/messages.ts";

const { updateSamlSettings } = ApplicationService.method;

let stage: LogoutStage;
let party: LogoutParty;
let other: LogoutParty;
beforeAll(async () => {
  stage = await startLogoutStage();
  party = await stage.addParty();
  other = await stage.addParty();
  const { projectId } = stage.world;
  const about = { projectId, appId: party.applicationId };
  await party.call(updateSamlSettings, { ...about, encryption: SamlEncryption.NEVER });
});
afterAll(() => stage.stop());

const formats = {
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  transient: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  emailAddress: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
} as const;
type Format = keyof typeof formats;

interface Told {
  readonly nameId: string;
  readonly sessionIndex: string;
}

/** Sends the browser with an AuthnRequest that nobody has signed, as any page can, and returns what the service provider is told. */
async function ask(browser: SignedInBrowser, format: Format): Promise<Told> {
  const destination = `${stage.issuer}/saml/v2/SSO`;
  const { entityId } = party;
  const own = { entityId, id: "_any-page", nowMs: stage.service.clock.nowMs(), destination };
  const content = `<samlp:NameIDPolicy Format="${formats[format]}"/>`;
  const url = `${destination}?${toQuery("SAMLRequest", writeRequest(own, { content }), {})}`;
  const answer = await stage.follow(browser, await browser.send({ method: "GET", url }));
  const encoded = formsOf(answer.text)[0]?.fields["SAMLResponse"] ?? "";
  const xml = Buffer.from(encoded, "base64").toString();
  const [nameId, sessionIndex] = [
    /<saml:NameID[^>]*>([^<]+)</.exec(xml)?.[1],
    / SessionIndex="([^"]+)"/.exec(xml)?.[1],
  ];
  if (nameId === undefined || sessionIndex === undefined) throw new Error(`no name: ${answer.status}`);
  return { nameId, sessionIndex };
}

async function askAll(browser: SignedInBrowser, ...asked: readonly Format[]): Promise<readonly Told[]> {
  const told: Told[] = [];
  for (const format of asked) told.push(await ask(browser, format));
  return told;
}

/** Opens a browser with a session of a new user, whose e-mail is verified. */
async function signInPerson(): Promise<SignedInBrowser> {
  const { userId } = await createPerson(stage.service, stage.world.organizationId);
  const verification = { case: "isVerified", value: true } as const;
  await stage.service.call(UserService.method.setEmail, {
    userId,
    email: `${userId}@example.com`,
    verification,
  });
  return await stage.signIn(userId);
}

const times = (count: number, format: Format): readonly Format[] =>
  Array.from({ length: count }, () => format);

describe("a service provider that got several names in a session ends it", () => {
  const asked = ["transient", "persistent", "transient", "emailAddress", ...times(6, "transient")] as const;

  test.each([0, 1, 2, 3, 4, asked.length - 1])(
    "under each of them, whatever was asked for since: under the one at %s",
    async (at) => {
      const browser = await signInPerson();
      const told = await askAll(browser, ...asked);
      expect(new Set(told.map(({ sessionIndex }) => sessionIndex)).size).toBe(1);
      const { nameId = "" } = told[at] ?? {};
      expect(stage.read(await browser.send(party.request({ nameId }))).status).toBe("Success");
      expect(await stage.isOver(browser)).toBe(true);
    },
  );

  test("and gets no transient name that the service could not remember: after four, the last again", async () => {
    const told = await askAll(await signInPerson(), ...times(7, "transient"));
    const names = told.map(({ nameId }) => nameId);
    expect(new Set(names).size).toBe(4);
    expect(names.slice(4)).toEqual([names[3], names[3], names[3]]);
    const [elsewhere] = await askAll(await signInPerson(), "transient");
    expect(names).not.toContain(elsewhere?.nameId);
  });

  test("and hears of its end once, under the last one (SAML Core §3.7.3.2)", async () => {
    const browser = await signInPerson();
    const part = await other.takePart(browser.session.sessionId);
    const [, , last] = await askAll(browser, "transient", "persistent", "transient");
    const sent = stage.read(await browser.send(other.request(part)));
    expect(sent).toMatchObject({
      kind: "SAMLRequest",
      to: party.slo,
      nameId: last?.nameId,
      sessionIndexes: [last?.sessionIndex],
    });
    const back = stage.read(await browser.send(party.respond(sent.id)));
    expect([back.to, back.status]).toEqual([other.slo, "Success"]);
  });
});

describe("a service provider that does not know the user by the last name", () => {
  const unknown = { status: "Requester/UnknownPrincipal" } as const;

  /** Begins a logout at the other one, which comes to the service provider. Returns its names, the last first. */
  async function begin() {
    const browser = await signInPerson();
    const part = await other.takePart(browser.session.sessionId);
    const told = await askAll(browser, "persistent", "emailAddress", "transient");
    const sent = stage.read(await browser.send(other.request(part)));
    const names = told.map(({ nameId }) => nameId).toReversed();
    expect(sent.nameId).toBe(names[0]);
    const answer = async (requestId: string, how: Parameters<LogoutParty["respond"]>[1]) =>
      stage.read(await stage.follow(browser, await browser.send(party.respond(requestId, how))));
    return { browser, sent, names, sessionIndex: told[0]?.sessionIndex, answer };
  }

  test.each(["redirect", "post"] as const)(
    "is asked by those before, until it answers Success, by %s",
    async (binding) => {
      const { sent, names, sessionIndex, answer } = await begin();
      const next = await answer(sent.id, { ...unknown, binding });
      expect(next).toMatchObject({ to: party.slo, nameId: names[1], sessionIndexes: [sessionIndex] });
      expect(next.id).not.toBe(sent.id);
      const back = await answer(next.id, { binding });
      expect([back.to, back.status]).toEqual([other.slo, "Success"]);
    },
  );

  test("is passed over when it knows none of them", async () => {
    const { browser, sent, names, answer } = await begin();
    const second = await answer(sent.id, unknown);
    const third = await answer(second.id, unknown);
    expect([second.nameId, third.nameId]).toEqual(names.slice(1));
    expect((await browser.send(party.respond(second.id))).status).toBe(400); // another one is waited for
    const back = await answer(third.id, unknown);
    expect([back.to, back.status]).toEqual([other.slo, "Success/PartialLogout"]);
  });
});

describe("a name that has passed from one user to another", () => {
  /** Two users who had the same name one after the other. Somebody else took part in both sessions. */
  async function begin() {
    const [former, holder] = [await signInPerson(), await signInPerson()];
    const nameId = `shared-${former.session.sessionId}@example.com`;
    const take = async ({ session }: SignedInBrowser) => {
      stage.service.clock.turn(1);
      await other.takePart(session.sessionId);
      return await party.takePart(session.sessionId, nameId);
    };
    const [formerPart, holderPart] = [await take(former), await take(holder)];
    const send = async (browser: SignedInBrowser, ...sessionIndexes: readonly string[]) =>
      stage.read(await browser.send(party.request({ nameId, sessionIndexes })));
    const areOver = async () => [await stage.isOver(former), await stage.isOver(holder)];
    return { former, holder, take, formerPart, holderPart, send, areOver };
  }

  test("is without SessionIndex of the user who got it last, in whatever browser", async () => {
    const { former, holder, send, areOver } = await begin();
    expect((await send(former)).status).toBe("Success/PartialLogout"); // it visits nobody for the other user
    expect(await areOver()).toEqual([false, true]);
    expect([former.cookies.has("gh_session"), holder.cookies.has("gh_session")]).toEqual([true, true]);
    expect((await send(former)).status).toBe("Success/PartialLogout");
    expect(await areOver()).toEqual([false, true]);
  });

  test("may go back", async () => {
    const { former, take, send, areOver } = await begin();
    await take(former);
    expect((await send(former)).to).toBe(other.slo);
    expect(await areOver()).toEqual([true, false]);
  });

  test("is with a SessionIndex of the session that it names", async () => {
    const { former, holder, formerPart, holderPart, send, areOver } = await begin();
    expect((await send(holder, "_unknown")).status).toBe("Responder/UnknownPrincipal");
    expect((await send(former, formerPart.sessionIndex)).to).toBe(other.slo);
    expect(await areOver()).toEqual([true, false]);
    expect((await send(holder, holderPart.sessionIndex)).to).toBe(other.slo);
    expect(await areOver()).toEqual([true, true]);
  });

  test("ends the other sessions of its user, and none of the user who had it", async () => {
    const { former, holder, take, send, areOver } = await begin();
    const elsewhere = await stage.signIn(holder.session.userId);
    await take(elsewhere);
    expect((await send(holder)).to).toBe(other.slo);
    expect([...(await areOver()), await stage.isOver(elsewhere)]).toEqual([false, true, true]);
    expect(former.cookies.has("gh_session")).toBe(true);
  });
});
