// SIGKILL around the end of sessions (OpenID Connect Back-Channel Logout 1.0): applications hear of all that has ended, and of no more.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout as pause } from "node:timers/promises";
import { SessionService } from "../../gen/gatehouse/v1/session_service_pb.ts";
import { SessionState } from "../../gen/gatehouse/v1/session_pb.ts";
import { claimMs } from "../../src/features/logout-notices/logout-notice.ts";
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
import { createCaller } from "../support/world.ts";
import { rounds, useServing } from "./support/serving.ts";

const issuer = "http://localhost:4711";
const serving = useServing(["--issuer", issuer, "--dev"]);
const redirectUri = "https://app.example/callback";
/** A process looks when it starts; the leader does so every 5 s. */
const soonMs = 20_000;

let receiver: LogoutReceiver;
let url: string;
let loginPlace: LoginPlace;
let application: TestApplication;
let person: TestPerson;
/** The sessions whose end was asked for. */
const asked: string[] = [];

beforeAll(async () => {
  receiver = await startLogoutReceiver();
  url = receiver.open();
  const { service } = serving;
  loginPlace = await createLoginPlace(service);
  person = await createPerson(service, loginPlace.organizationId);
  application = await createOidcApplication(service, loginPlace, {
    redirectUris: [redirectUri],
    backChannelLogoutUri: url,
    devMode: true,
  });
}, 60_000);
afterAll(() => receiver.close());

/** Lets the time pass, for the notices that wait, in which a process that was killed may still be sending. */
function passClaims(): Promise<void> {
  return serving.place.look((raw) =>
    raw.damage("UPDATE logout_notices SET next_ms = next_ms - ?", [claimMs]),
  );
}

/** What the application has heard of a session. */
const toldOf = (sessionId: string) =>
  receiver.at(url).flatMap((received) => {
    const claims = claimsOf(received);
    return claims.sid === sessionId ? [claims] : [];
  });

/** Logs the person in, in a new browser, and returns their session. */
async function begin(): Promise<string> {
  const agent = openUserAgent({ origin: issuer, send: (request) => serving.http.send(request) });
  const start = toAuthorizationUrl(issuer, [
    ["client_id", application.clientId],
    ["response_type", "code"],
    ["redirect_uri", redirectUri],
    ["scope", "openid"],
  ]);
  await logIn(agent, await agent.open(start), person);
  const { sessions } = await createCaller(serving.service, loginPlace.organizationId)(
    SessionService.method.listSessions,
    { userId: person.userId, state: SessionState.ACTIVE, pageSize: 1000 },
  );
  const known = new Set(asked);
  const active = (sessions ?? []) as unknown as readonly { readonly id: string }[]; // as the proto has them
  const begun = active.find(({ id }) => !known.has(id));
  if (begun === undefined) throw new Error("the login has begun no session");
  asked.push(begun.id);
  return begun.id;
}

async function hasEnded(sessionId: string): Promise<boolean> {
  const caller = createCaller(serving.service, loginPlace.organizationId);
  const { session } = await caller(SessionService.method.getSession, { sessionId });
  return (session as unknown as { readonly state: string }).state === "SESSION_STATE_TERMINATED";
}

describe("SIGKILL around the end of a session", () => {
  test.each(rounds)("round %d, %s", async (_round, moment) => {
    const sessionId = await begin();
    const { service } = serving;
    // Before the commit, between it and the sending, while it is sent, after it.
    const end = () => service.call(SessionService.method.terminateSession, { sessionId });
    const answer = await serving.cutOff(moment, end);
    expect((await hasEnded(sessionId)) || answer === undefined).toBe(true);
  });

  test("while it is sent: another process sends it again, with the same jti", async () => {
    const sessionId = await begin();
    const { child, exited } = serving.process;
    receiver.answer(url, (response) => {
      if (toldOf(sessionId).length > 0) child.kill("SIGKILL");
      else response.end(); // of a session before
    });
    await serving.service.call(SessionService.method.terminateSession, { sessionId }).catch(() => {});
    await exited;
    receiver.answer(url, undefined);
    expect(toldOf(sessionId)).toHaveLength(1);
    await passClaims();
    await serving.goOn();
    for (const endMs = Date.now() + soonMs; toldOf(sessionId).length < 2 && Date.now() < endMs; )
      await pause(100);
    expect(toldOf(sessionId).map(({ jti }) => jti)).toEqual(
      Array.from({ length: 2 }, () => `${sessionId}-${application.clientId}`),
    );
  });

  test("every session that has ended was told, and no other", async () => {
    await passClaims();
    const ended: string[] = [];
    for (const sessionId of asked) if (await hasEnded(sessionId)) ended.push(sessionId);
    const told = () => new Set(receiver.at(url).map((received) => claimsOf(received).sid));
    for (const endMs = Date.now() + soonMs; told().size < ended.length && Date.now() < endMs; )
      await pause(100);
    expect(told()).toEqual(new Set(ended));
    expect(new Set(receiver.at(url).map((received) => claimsOf(received).jti)).size).toBe(ended.length);
    const counts = ended.map((id) => toldOf(id).length);
    process.stderr.write(`ended ${ended.length} of ${asked.length}, told ${counts.join(" ")} times\n`);
    expect(Math.max(...counts)).toBeLessThanOrEqual(3);
  });
});
