// Who may log in to a service provider, judged in the write that answers.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, describe, expect, test } from "@jest/globals";
import { SamlEncryption } from "../../../gen/gatehouse/v1/application_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { toId, type SessionId } from "../../../src/kernel/base/ids.ts";
import { listParticipationsOfSessions } from "../../../src/identity/logins/saml-participations/repository.ts";
import { createLoginPlace, createPerson, type LoginPlace } from "../oidc/support/login-place.ts";
import { endLogin } from "../oidc/support/user-agent.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createProject, idOf, uniqueName } from "../../support/world.ts";
import {
  addScriptedParty,
  openBrowser,
  openSignedIn,
  type ScriptedParty,
  switchOff,
} from "./support/scripted-party.ts";

const service = await startService();
afterAll(() => service.stop());

/** What is typed into the form of the first page. */
interface Typed extends Readonly<Record<string, string>> {
  readonly username: string;
  readonly password: string;
}

interface Ground {
  readonly place: LoginPlace;
  readonly party: ScriptedParty;
  readonly inside: ReturnType<typeof createCaller>;
  /** The organization of the user. */
  readonly home: string;
  readonly userId: string;
  readonly user: Typed;
}

/** A service provider, and somebody of its organization or of another one. */
async function layGround({ isGuest = false } = {}): Promise<Ground> {
  const { organizationId } = await createLoginPlace(service);
  const projectId = await createProject(service, organizationId, ["writer", "reader"]);
  const place = { organizationId, projectId };
  const name = uniqueName("Organization");
  const added = isGuest
    ? await service.call(OrganizationService.method.addOrganization, { name })
    : undefined;
  const home = added === undefined ? organizationId : idOf(added, "organizationId");
  const { userId, username, password } = await createPerson(service, home);
  const party = await addScriptedParty(service, place);
  const inside = createCaller(service, organizationId);
  return { place, party, inside, home, user: { username, password }, userId };
}

/** Says how a login ends for somebody with a session. */
async function probe({ party, userId }: Ground) {
  const end = await party.ask(await openSignedIn(service, userId), { attributes: { IsPassive: "true" } });
  return end.page === undefined ? party.read(end).status : end.page.status;
}

/** Lets the service provider have what the page of a guest shows. */
async function confirmAs({ party, userId }: Ground): Promise<void> {
  const browser = await openSignedIn(service, userId);
  await browser.submit(await party.ask(browser), { choice: "continue" });
}

const update = ({ inside, place: { projectId } }: Ground, checks: object) =>
  inside(ProjectService.method.updateProject, { id: projectId, name: uniqueName("Project"), ...checks });

describe("the checks of a project", () => {
  test("project_role_check lets in only who has a role that is in effect", async () => {
    const ground = await layGround();
    const { inside, userId, place, party } = ground;
    const { projectId } = place;
    await update(ground, { projectRoleCheck: true });
    expect(await probe(ground)).toBe("Responder/RequestDenied");
    const grant = { userId, projectId, roleKeys: ["writer", "reader"] };
    const grantId = idOf(await inside(UserGrantService.method.addUserGrant, grant), "userGrantId");
    expect(await probe(ground)).toBe("Success");
    const browser = await openSignedIn(service, userId);
    const rolesIn = async () => party.read(await party.ask(browser)).assertion?.attributes["Roles"];
    expect(await rolesIn()).toBeUndefined();
    await update(ground, { projectRoleCheck: true, projectRoleAssertion: true });
    expect(await rolesIn()).toEqual(["reader", "writer"]);
    const endDate = timestampFromMs(service.clock.nowMs() + 1000);
    await inside(UserGrantService.method.updateUserGrant, { ...grant, grantId, endDate });
    expect(await rolesIn()).toEqual(["reader", "writer"]);
    service.clock.turn(1000);
    expect(await probe(ground)).toBe("Responder/RequestDenied");
    await inside(UserGrantService.method.updateUserGrant, { ...grant, grantId, removeEndDate: true });
    expect(await probe(ground)).toBe("Success");
    await inside(UserGrantService.method.deactivateUserGrant, { userId, grantId });
    expect(await probe(ground)).toBe("Responder/RequestDenied");
  });

  test("has_project_check lets in only organizations that own the project, or hold an active grant of it", async () => {
    const own = await layGround();
    await update(own, { hasProjectCheck: true });
    expect(await probe(own)).toBe("Success");
    const guest = await layGround({ isGuest: true });
    const { inside, home, place } = guest;
    const { projectId } = place;
    await update(guest, { hasProjectCheck: true });
    expect(await probe(guest)).toBe("Responder/RequestDenied");
    const grant = { projectId, grantedOrganizationId: home, roleKeys: ["reader"] };
    const grantId = idOf(await inside(ProjectService.method.addProjectGrant, grant), "grantId");
    expect(await probe(guest)).toBe("Responder/NoPassive"); // the grant connects nobody: the page asks
    await confirmAs(guest);
    expect(await probe(guest)).toBe("Success");
    await inside(ProjectService.method.deactivateProjectGrant, { projectId, grantId });
    expect(await probe(guest)).toBe("Responder/RequestDenied");
  });

  test("are judged again when the pages come back, in the write that answers", async () => {
    const ground = await layGround();
    const { party, user } = ground;
    const browser = openBrowser(service);
    const start = await party.askByPost(browser);
    await update(ground, { projectRoleCheck: true });
    expect(party.read(await endLogin(browser, start, user)).status).toBe("Responder/RequestDenied");
  });
});

describe("somebody of another organization, for the first time", () => {
  test("is asked, and may cancel", async () => {
    const ground = await layGround({ isGuest: true });
    const { party, userId } = ground;
    expect(await probe(ground)).toBe("Responder/NoPassive");
    const browser = await openSignedIn(service, userId);
    const asked = await party.ask(browser, { id: "_asked", relayState: "state" });
    expect(asked.page?.text).toContain('value="cancel"');
    const refused = party.read(await browser.submit(asked, { choice: "cancel" }));
    expect(refused).toMatchObject({
      status: "Responder/AuthnFailed",
      inResponseTo: "_asked",
      relayState: "state",
    });
    const again = await party.askByPost(browser);
    const { assertion } = party.read(await browser.submit(again, { choice: "continue" }));
    expect(assertion?.attributes["UserID"]).toEqual([userId]);
    expect(await probe(ground)).toBe("Success");
    await update(ground, { projectRoleAssertion: true }); // the roles were not on the page
    expect(await probe(ground)).toBe("Responder/NoPassive");
    const more = await party.ask(await openSignedIn(service, userId));
    expect(more.page?.text).toContain("<strong>New:</strong> your roles in its project");
  });
});

describe.each(["application", "project", "organization"] as const)("while the %s is inactive", (what) => {
  test("nobody is sent anywhere, before the pages and after them", async () => {
    const ground = await layGround();
    const { party, user } = ground;
    const browser = openBrowser(service);
    const start = await party.ask(browser);
    const waiting = await party.askByPost(await openSignedIn(service, ground.userId));
    expect(party.read(waiting).status).toBe("Success");
    const switchOn = await switchOff(service, what, party);
    const unknown = (await party.ask(openBrowser(service))).page;
    expect([await probe(ground), unknown?.headers.get("location")]).toEqual([400, null]);
    expect((await browser.submit(start, user)).page?.status).toBe(400);
    await switchOn();
    expect(party.read(await endLogin(browser, start, user)).status).toBe("Success");
  });
});

test("a user who is locked meanwhile begins again", async () => {
  const { party, userId } = await layGround();
  const browser = await openSignedIn(service, userId);
  expect(party.read(await party.ask(browser)).status).toBe("Success");
  await service.call(UserService.method.lockUser, { userId });
  expect((await party.ask(browser)).url.pathname).toMatch(/^\/login\//);
});

test("a place that has left the metadata meanwhile gets nothing", async () => {
  const { party, user, userId } = await layGround();
  const browser = openBrowser(service);
  const start = await party.ask(browser);
  await party.setMetadata({ acs: [{ location: "https://new.example/acs" }] });
  const submitted = (await browser.submit(start, user)).page;
  expect([submitted?.status, submitted?.text]).toEqual([400, expect.not.stringContaining("SAMLResponse")]);
  const gone = await party.ask(await openSignedIn(service, userId), {
    attributes: { AssertionConsumerServiceURL: party.acs },
  });
  expect([gone.page?.status, gone.posted]).toEqual([400, undefined]);
});

describe("requests that have to be signed", () => {
  test.each([
    ["the metadata", (party: ScriptedParty) => party.setMetadata({ isSigning: true })],
    ["the settings", (party: ScriptedParty) => party.setSettings({ requireSignedRequests: true })],
  ])("because %s say so", async (_name, demand) => {
    const { party, userId } = await layGround();
    const browser = await openSignedIn(service, userId);
    const unsigned = { isSigned: false } as const;
    expect(party.read(await party.ask(browser, unsigned)).status).toBe("Success");
    await demand(party);
    for (const ask of ["ask", "askByPost"] as const) {
      expect((await party[ask](browser, unsigned)).page?.status).toBe(400);
      expect(party.read(await party[ask](browser)).status).toBe("Success");
    }
  });
});

describe("assertions that have to be encrypted", () => {
  test("are, or nobody logs in", async () => {
    const { party, userId, user } = await layGround();
    const browser = await openSignedIn(service, userId);
    const half = openBrowser(service);
    const start = await party.ask(half);
    await party.setSettings({ encryption: SamlEncryption.REQUIRED });
    expect((await party.ask(browser)).page?.status).toBe(403);
    expect((await half.submit(start, user)).page?.status).toBe(403);
    expect(service.log()).toContain('"reason":"encryption"');
    await party.setMetadata({ isEncrypting: true });
    const answer = party.read(await party.ask(browser));
    expect([answer.status, answer.assertion]).toEqual(["Success", undefined]);
    expect(answer.xml).toContain("EncryptedAssertion");
    await party.setSettings({ encryption: SamlEncryption.NEVER });
    expect(party.read(await party.ask(browser)).assertion?.attributes["UserID"]).toEqual([userId]);
  });
});

test("an answer is recorded with the session: who took part, and nothing of what it said", async () => {
  const { party, userId } = await layGround();
  const browser = await openSignedIn(service, userId);
  const { database } = service.context;
  const stored = () =>
    database.read((tx) => listParticipationsOfSessions(tx, [toId<SessionId>(browser.sessionId)]));
  await party.ask(browser, { attributes: { ForceAuthn: "true", IsPassive: "true" } });
  expect(await stored()).toEqual([]);
  const { assertion } = party.read(await party.ask(browser));
  const [participation, ...more] = await stored();
  expect(more).toEqual([]);
  expect(participation).toMatchObject({
    applicationId: party.appId,
    userId,
    nameIdFormat: "PERSISTENT",
    sessionIndex: assertion?.sessionIndex,
    authenticationDateMs: service.clock.nowMs(),
    expirationMs: Date.parse(assertion?.sessionEnd ?? ""),
  });
  const granted = await database.read((tx) =>
    tx.all<{ payload: string }>("SELECT payload FROM events WHERE type = 'authorization.granted'"),
  );
  const payload = { application_id: party.appId, session_id: browser.sessionId, scopes: [], user_id: userId };
  expect(granted.map((event): unknown => JSON.parse(event.payload))).toContainEqual(payload);
  await party.ask(browser);
  const renewed = await database.read((tx) =>
    tx.all<{ payload: string }>("SELECT payload FROM events WHERE type = 'authorization.granted'"),
  );
  expect(renewed.map((event): unknown => JSON.parse(event.payload))).toContainEqual({
    ...payload,
    is_renewal: true,
  });
});

test.each([
  ["user", UserService.method.deactivateUser, UserService.method.reactivateUser],
  [
    "organization of the user",
    OrganizationService.method.deactivateOrganization,
    OrganizationService.method.reactivateOrganization,
  ],
] as const)(
  "the session of a %s that is inactive is worth nothing, until it is active again",
  async (what, off, on) => {
    const ground = await layGround({ isGuest: true });
    const { home, userId } = ground;
    await confirmAs(ground);
    const id = what === "user" ? { userId } : { id: home };
    const browser = await openSignedIn(service, userId);
    const passive = { attributes: { IsPassive: "true" } };
    const look = async () => ground.party.read(await ground.party.ask(browser, passive)).status;
    expect(await look()).toBe("Success");
    await service.call(off, id);
    expect(await look()).toBe("Responder/NoPassive");
    await service.call(on, id);
    expect(await look()).toBe("Success");
  },
);
