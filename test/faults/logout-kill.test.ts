// SIGKILL around the end of sessions (OpenID Connect Back-Channel Logout 1.0): applications hear of all that has ended, and of no more.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout as pause } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { SessionService } from "../../gen/gatehouse/v1/session_service_pb.ts";
import { SessionState } from "../../gen/gatehouse/v1/session_pb.ts";
import { claimMs } from "../../src/features/logout-notices/logout-notice.ts";
import type { Random } from "../hostile/support/random.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type LoginPlace,
  type TestApplication,
  type TestPerson,
} from "../oidc/support/login-place.ts";
import { claimsOf, type LogoutReceiver, startLogoutReceiver } from "../oidc/support/logout-receiver.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../oidc/support/user-agent.ts";
import { type ConnectedService, type Place, usePlaces } from "../process/support/place.ts";
import { createHttpClient } from "../support/http-client.ts";
import type { ServingProcess } from "../support/process.ts";
import { createCaller } from "../support/world.ts";
import { kill } from "./support/ground.ts";
import { useSeed } from "./support/seed.ts";

const newPlace = usePlaces();
const randomOf = useSeed();
/** GATEHOUSE_FAULTS_KILLS asks for more. */
const rounds = Number(process.env["GATEHOUSE_FAULTS_KILLS"] ?? 10);
const issuer = "http://localhost:4711";
const redirectUri = "https://app.example/callback";
/** A process looks when it starts; the leader does so every 5 s. */
const soonMs = 20_000;

let place: Place;
let random: Random;
let receiver: LogoutReceiver;
let url: string;
let loginPlace: LoginPlace;
let application: TestApplication;
let person: TestPerson;
/** The sessions whose end was asked for. */
const asked: string[] = [];

const serve = () => place.serve(["--issuer", issuer, "--dev"]);

beforeAll(async () => {
  receiver = await startLogoutReceiver();
  url = receiver.open();
  place = newPlace();
  random = randomOf(0);
  const serving = await serve();
  const service = place.connect(serving);
  loginPlace = await createLoginPlace(service);
  person = await createPerson(service, loginPlace.organizationId);
  application = await createOidcApplication(service, loginPlace, {
    redirectUris: [redirectUri],
    backChannelLogoutUri: url,
    devMode: true,
  });
  await kill(serving);
}, 60_000);
afterAll(() => receiver.close());

/** Lets the time pass, for the notices that wait, in which a process that was killed may still be sending. None is running. */
function passClaims(): void {
  const connection = new Sqlite(place.file("gatehouse.db"));
  try {
    connection.prepare("UPDATE logout_notices SET next_ms = next_ms - ?").run(claimMs);
  } finally {
    connection.close();
  }
}

/** Logs the person in, in a new browser, and returns their session. */
async function begin(serving: ServingProcess, service: ConnectedService): Promise<string> {
  const http = createHttpClient(serving.url);
  try {
    const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
    const start = toAuthorizationUrl(issuer, [
      ["client_id", application.clientId],
      ["response_type", "code"],
      ["redirect_uri", redirectUri],
      ["scope", "openid"],
    ]);
    await logIn(agent, await agent.open(start), person);
  } finally {
    http.close();
  }
  const { sessions } = await createCaller(service, loginPlace.organizationId)(
    SessionService.method.listSessions,
    { userId: person.userId, state: SessionState.ACTIVE },
  );
  const known = new Set(asked);
  const active = (sessions ?? []) as unknown as readonly { readonly id: string }[]; // as the proto has them
  const begun = active.find(({ id }) => !known.has(id));
  if (begun === undefined) throw new Error("the login has begun no session");
  return begun.id;
}

async function hasEnded(service: ConnectedService, sessionId: string): Promise<boolean> {
  const caller = createCaller(service, loginPlace.organizationId);
  const { session } = await caller(SessionService.method.getSession, { sessionId });
  return (session as unknown as { readonly state: string }).state === "SESSION_STATE_TERMINATED";
}

describe("SIGKILL around the end of a session", () => {
  test.each(Array.from({ length: rounds }, (_, index) => index + 1))("round %d", async () => {
    const serving = await serve();
    const service = place.connect(serving);
    const sessionId = await begin(serving, service);
    asked.push(sessionId);
    // Somewhere on the way: before the commit, between it and the sending, while it is sent, after it.
    setTimeout(() => serving.child.kill("SIGKILL"), random.next() * 12);
    await service.call(SessionService.method.terminateSession, { sessionId }).catch(() => {});
    expect(await serving.exited).toBeNull(); // by the signal
  });

  test("while it is sent: a later process sends it again, with the same jti", async () => {
    let serving = await serve();
    const sessionId = await begin(serving, place.connect(serving));
    asked.push(sessionId);
    const before = receiver.at(url).length;
    receiver.answer(url, () => serving.child.kill("SIGKILL"));
    await place
      .connect(serving)
      .call(SessionService.method.terminateSession, { sessionId })
      .catch(() => {});
    await serving.exited;
    receiver.answer(url, undefined);
    expect(receiver.at(url).length).toBe(before + 1);
    passClaims();
    serving = await serve();
    const mine = () => receiver.at(url).filter((received) => claimsOf(received).sid === sessionId);
    for (const endMs = Date.now() + soonMs; mine().length < 2 && Date.now() < endMs; ) await pause(100);
    expect(mine().map((received) => claimsOf(received).jti)).toEqual(
      Array.from({ length: 2 }, () => `${sessionId}-${application.clientId}`),
    );
    await kill(serving);
  });

  test("every session that has ended was told, and no other", async () => {
    passClaims();
    const serving = await serve();
    const service = place.connect(serving);
    const ended: string[] = [];
    for (const sessionId of asked) if (await hasEnded(service, sessionId)) ended.push(sessionId);
    const told = () => new Set(receiver.at(url).map((received) => claimsOf(received).sid));
    for (const endMs = Date.now() + soonMs; told().size < ended.length && Date.now() < endMs; )
      await pause(100);
    expect(told()).toEqual(new Set(ended));
    const counts = ended.map((id) => receiver.at(url).filter((each) => claimsOf(each).sid === id).length);
    process.stderr.write(`ended ${ended.length} of ${asked.length}, told ${counts.join(" ")} times\n`);
    expect(Math.max(...counts)).toBeLessThanOrEqual(3);
    await kill(serving);
  });
});
