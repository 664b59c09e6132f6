// Names that a service provider was given in one session, and names that several users have.
import { afterAll, describe, expect, test } from "@jest/globals";
import { SamlEncryption } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { formsOf, type PageBrowser } from "../login/support/browser.ts";
import { maxFoundParticipations } from "../../../src/identity/logins/saml-participations/repository.ts";
import { hashNameId } from "../../../src/identity/logins/saml-participations/saml-participation.ts";
import { createPerson } from "../oidc/support/login-place.ts";
import type { LogoutParty } from "./support/logout-party.ts";
import { type SignedInBrowser, startLogoutStage } from "./support/logout-stage.ts";
import { toQuery, writeRequest } from "./support/messages.ts";

const { updateSamlSettings } = ApplicationService.method;

const stage = await startLogoutStage();
const party = await stage.addParty();
const other = await stage.addParty();
const { projectId } = stage.world;
const about = { projectId, appId: party.applicationId };
await party.call(updateSamlSettings, { ...about, encryption: SamlEncryption.NEVER });
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

/** Opens a browser with a session of a new user, whose email is verified. */
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

/** The columns of a participation, but for those that differ from session to session. */
const columns = [
  "application_id",
  "user_id",
  "user_organization_id",
  "application_organization_id",
  "name_id_format",
  "name_id_hash",
  "key_id",
  "name_id",
  "name_number",
  "session_index",
  "expiration_ms",
];

/** Stores copies of the name that the service provider got in the session, as others that nobody can read. */
async function copyName({ session }: SignedInBrowser, count: number): Promise<void> {
  const copied = columns.filter((column) => !["name_id_hash", "name_number"].includes(column)).join(", ");
  await stage.service.context.database.write(async (tx) => {
    await tx.run(
      `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
       INSERT INTO saml_participations (${copied}, session_id, authentication_ms, name_id_hash, name_number)
       SELECT ${copied}, session_id, authentication_ms, name_id_hash || '-' || n, name_number + n
       FROM saml_participations, counted WHERE session_id = ?`,
      [count, session.sessionId],
    );
  });
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

  test("and gets no transient name that the service could not remember: after a hundred, the last again", async () => {
    const browser = await signInPerson();
    const [first] = await askAll(browser, "transient");
    await copyName(browser, 98);
    const [last, ...more] = await askAll(browser, "transient", "transient", "persistent", "transient");
    expect(last?.nameId).not.toBe(first?.nameId);
    expect([more[0]?.nameId, more[2]?.nameId]).toEqual([last?.nameId, last?.nameId]);
    const [elsewhere] = await askAll(await signInPerson(), "transient");
    expect([first?.nameId, last?.nameId]).not.toContain(elsewhere?.nameId);
    expect(stage.read(await browser.send(party.request({ nameId: first?.nameId ?? "" }))).status).toBe(
      "Success",
    );
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

describe("a name that two users have, one after the other or at once", () => {
  /** Two users with the same name. Somebody else took part in both sessions. */
  async function begin() {
    const [first, second] = [await signInPerson(), await signInPerson()];
    const nameId = `shared-${first.session.sessionId}@example.com`;
    const take = async ({ session }: SignedInBrowser) => {
      stage.service.clock.turn(1);
      await other.takePart(session.sessionId);
      return await party.takePart(session.sessionId, nameId);
    };
    const [firstPart, secondPart] = [await take(first), await take(second)];
    const send = async (browser: PageBrowser, ...sessionIndexes: readonly string[]) =>
      stage.read(await browser.send(party.request({ nameId, sessionIndexes })));
    const areOver = async () => [await stage.isOver(first), await stage.isOver(second)];
    return { first, second, take, nameId, firstPart, secondPart, send, areOver };
  }

  test.each(["first", "second"] as const)(
    "is without SessionIndex of both, and the browser of the %s visits their own applications",
    async (who) => {
      const { [who]: browser, send, areOver } = await begin();
      const sent = await send(browser);
      expect(sent.to).toBe(other.slo);
      expect(await areOver()).toEqual([true, true]);
      expect(browser.cookies.has("gh_session")).toBe(false);
      const back = stage.read(await browser.send(other.respond(sent.id)));
      expect([back.to, back.status]).toEqual([party.slo, "Success/PartialLogout"]); // the other user's have not heard
    },
  );

  test("is without SessionIndex of both in another browser, which visits nobody", async () => {
    const { send, areOver } = await begin();
    expect((await send(stage.open())).status).toBe("Success/PartialLogout");
    expect(await areOver()).toEqual([true, true]);
  });

  test("is without SessionIndex of both by POST", async () => {
    const { first, nameId, areOver } = await begin();
    const answer = await first.send(party.request({ nameId }, { binding: "post" }));
    expect(stage.read(await stage.follow(first, answer)).status).toBe("Success/PartialLogout");
    expect(await areOver()).toEqual([true, true]);
  });

  test("leaves nobody behind when nobody else took part: the answer is Success", async () => {
    const [first, second] = [await signInPerson(), await signInPerson()];
    const nameId = `alone-${first.session.sessionId}@example.com`;
    for (const { session } of [first, second]) {
      stage.service.clock.turn(1);
      await party.takePart(session.sessionId, nameId);
    }
    expect(stage.read(await first.send(party.request({ nameId }))).status).toBe("Success");
    expect([await stage.endsOf(first), await stage.endsOf(second)]).toEqual([
      ["saml_logout"],
      ["saml_logout"],
    ]);
  });

  test("is with a SessionIndex of the session that it names", async () => {
    const { first, second, firstPart, secondPart, send, areOver } = await begin();
    expect((await send(second, "_unknown")).status).toBe("Responder/UnknownPrincipal");
    expect((await send(first, firstPart.sessionIndex)).to).toBe(other.slo);
    expect(await areOver()).toEqual([true, false]);
    expect((await send(second, secondPart.sessionIndex)).to).toBe(other.slo);
    expect(await areOver()).toEqual([true, true]);
  });

  test("is of each session that either of them has", async () => {
    const { second, take, send, areOver } = await begin();
    const elsewhere = await stage.signIn(second.session.userId);
    await take(elsewhere);
    expect((await send(second)).to).toBe(other.slo);
    expect([...(await areOver()), await stage.isOver(elsewhere)]).toEqual([true, true, true]);
  });

  test("is answered PartialLogout when it has more sessions than are looked for", async () => {
    const browser = await signInPerson();
    const nameId = `many-${browser.session.sessionId}@example.com`;
    await party.takePart(browser.session.sessionId, nameId);
    await stage.service.context.database.write(async (tx) => {
      await tx.run(
        `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
         INSERT INTO saml_participations (${columns.join(", ")}, session_id, authentication_ms)
         SELECT ${columns.join(", ")}, session_id || '-' || n, authentication_ms + n
         FROM saml_participations, counted WHERE session_id = ? AND name_id_hash = ?`,
        [maxFoundParticipations, browser.session.sessionId, hashNameId(nameId)],
      );
    });
    expect(stage.read(await browser.send(party.request({ nameId }))).status).toBe("Success/PartialLogout");
  });
});
