import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { SessionService } from "../../gen/gatehouse/v1/session_service_pb.ts";
import { type ApplicationId, type OrganizationId, toId, type UserId } from "../../src/kernel/base/ids.ts";
import { putParticipation } from "../../src/identity/logins/saml-participations/repository.ts";
import {
  createParticipation,
  type SamlNameId,
} from "../../src/identity/logins/saml-participations/saml-participation.ts";
import { sweepLogins } from "../../src/sites/login/sweep.ts";
import { logIn, type MadeLogin } from "../support/logins.ts";
import { answerOf } from "../support/service.ts";
import { createHumanUser, createTrustedApplication, type World } from "../support/world.ts";
import { everyLane, type Setting, startSetting } from "./support/lanes.ts";

const { getSession, listSessions, terminateSession } = SessionService.method;

let service: Setting["service"];
let callOn: Setting["callOn"];
let world: World;
let trusted: string;
beforeAll(async () => {
  ({ service, callOn, world } = await startSetting());
  trusted = await createTrustedApplication(service, world);
});
afterAll(() => service.stop());

interface Person extends MadeLogin {
  readonly userId: string;
}

async function createPerson(): Promise<Person> {
  const userId = await createHumanUser(service, world.organizationId);
  return { userId, ...(await logIn(service.context, { applicationId: trusted, userId })) };
}

/** Lets an application take part in the session of the person. */
async function takePart(
  { userId, sessionId }: Person,
  {
    nameId,
    applicationId = world.appId,
    lastsMs = 3_600_000,
  }: {
    readonly nameId: SamlNameId;
    readonly applicationId?: string;
    readonly lastsMs?: number;
  },
): Promise<void> {
  const { database, keyring } = service.context;
  const nowMs = service.clock.nowMs();
  const organization = toId<OrganizationId>(world.organizationId);
  const participation = createParticipation(keyring, {
    sessionId: toId(sessionId),
    applicationId: toId<ApplicationId>(applicationId),
    userId: toId<UserId>(userId),
    userOrganizationId: organization,
    applicationOrganizationId: organization,
    sessionIndex: "_1",
    authenticationDateMs: nowMs,
    expirationMs: nowMs + lastsMs,
    nameId,
  });
  await database.write((tx) => putParticipation(tx, participation));
}

const transient: SamlNameId = { format: "TRANSIENT", value: "_canary-of-a-name" };
const email: SamlNameId = { format: "EMAIL_ADDRESS", value: "canary@example.com" };
const partsOf = (session: unknown) => (session as JsonObject)["samlParticipations"];

test.each(everyLane)("a session shows over %s who took part, and how they know the user", async (lane) => {
  const [person, sibling] = [await createPerson(), await createPerson()];
  const { sessionId, token } = person;
  await takePart(person, {
    nameId: { ...transient, value: "_canary-of-the-name-before" },
    applicationId: "8",
  });
  await takePart(person, { nameId: email, applicationId: "8" });
  await takePart(person, { nameId: transient, applicationId: "7" });
  // Timestamps have no fraction when there is none.
  const authenticationDate = new Date(service.clock.nowMs()).toISOString().replace(".000Z", "Z");
  const shown = [
    { applicationId: "7", nameIdFormat: "SAML_NAME_ID_FORMAT_TRANSIENT", authenticationDate },
    { applicationId: "8", nameIdFormat: "SAML_NAME_ID_FORMAT_EMAIL_ADDRESS", authenticationDate },
  ];
  const own = answerOf(await callOn[lane](getSession, { sessionId }, { token }));
  expect(partsOf(own["session"])).toEqual(shown);
  const listed = answerOf(await callOn[lane](listSessions, {}, { token: world.owner.token }));
  const sessions = listed["sessions"] as readonly JsonObject[];
  const found = (id: string) => sessions.find((session) => session["id"] === id);
  expect(partsOf(found(sessionId))).toEqual(partsOf(own["session"]));
  expect(partsOf(found(sibling.sessionId))).toEqual([]);
  expect(JSON.stringify([own, listed])).not.toContain("canary");
});

test("who took part is known until the time of the session is over, also when it ended before", async () => {
  const person = await createPerson();
  const { sessionId } = person;
  await takePart(person, { nameId: transient, lastsMs: 1000 });
  answerOf(await callOn.grpc(terminateSession, { sessionId }, { token: person.token }));
  const read = async () => {
    const token = world.owner.token;
    return answerOf(await callOn.grpc(getSession, { sessionId }, { token }))["session"];
  };
  await sweepLogins(service.context);
  expect(await read()).toMatchObject({ state: "SESSION_STATE_TERMINATED" });
  expect(partsOf(await read())).toHaveLength(1);
  service.clock.turn(1000);
  await sweepLogins(service.context);
  expect(partsOf(await read())).toEqual([]);
});
