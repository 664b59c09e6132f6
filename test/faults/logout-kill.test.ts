// SIGKILL around what somebody has to hear of after the commit: applications hear of all sessions that have ended (OpenID Connect
// Back-Channel Logout 1.0), users of all changes of what they sign in with, and both of no more.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { SessionService } from "../../gen/gatehouse/v1/session_service_pb.ts";
import { SessionState } from "../../gen/gatehouse/v1/session_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { claimMs } from "../../src/identity/protocol-state/logout-notices/logout-notice.ts";
import { noticeClaimMs } from "../../src/identity/security-notices/security-notice.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type LoginPlace,
  type TestApplication,
  type TestPerson,
} from "../sites/oidc/support/login-place.ts";
import { claimsOf, type LogoutReceiver, startLogoutReceiver } from "../sites/oidc/support/logout-receiver.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../sites/oidc/support/user-agent.ts";
import { createCaller, createHumanUser } from "../support/world.ts";
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

describe("SIGKILL around a change of what somebody signs in with", () => {
  const changed: { readonly userId: string; readonly email: string }[] = [];
  const mails = () => {
    const file = serving.place.file("mail.jsonl");
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
    return lines.map((line) => JSON.parse(line) as { readonly to: string; readonly id?: string });
  };
  const noticesTo = (email: string) => mails().filter(({ to, id }) => to === email && id !== undefined);

  /** Adds a user who has had the account for a day, and a verified address. */
  async function addUser(): Promise<string> {
    const { service, place } = serving;
    const userId = await createHumanUser(service, loginPlace.organizationId);
    const email = `${userId}@example.com`;
    const verification = { case: "isVerified", value: true } as const;
    await service.call(UserService.method.setEmail, { userId, email, verification });
    const sql = "UPDATE stored_users SET creation_date = creation_date - ? WHERE id = ?";
    await place.look((raw) => raw.damage(sql, [86_400_000_000, userId]));
    changed.push({ userId, email });
    return userId;
  }

  async function hasToken(userId: string): Promise<boolean> {
    const listed = await serving.service.call(UserService.method.listPersonalAccessTokens, { userId });
    return (listed["personalAccessTokens"] as readonly unknown[] | undefined)?.length === 1;
  }

  test.each(rounds.slice(0, 6))("round %d, %s", async (_round, moment) => {
    const userId = await addUser();
    const { service } = serving;
    const add = () => service.call(UserService.method.addPersonalAccessToken, { userId });
    const answer = await serving.cutOff(moment, add);
    expect((await hasToken(userId)) || answer === undefined).toBe(true);
  });

  test("every change was mailed, and no other: a second time with the same id", async () => {
    await serving.place.look((raw) =>
      raw.damage("UPDATE security_notices SET next_ms = next_ms - ?", [noticeClaimMs]),
    );
    const made: string[] = [];
    for (const { userId, email } of changed) if (await hasToken(userId)) made.push(email);
    const told = () => changed.map(({ email }) => email).filter((email) => noticesTo(email).length > 0);
    for (const endMs = Date.now() + soonMs; told().length < made.length && Date.now() < endMs; )
      await pause(100);
    expect(told()).toEqual(made);
    const ids = new Set(made.flatMap((email) => noticesTo(email).map(({ id }) => id)));
    expect(ids.size).toBe(made.length);
    process.stderr.write(`changed ${made.length} of ${changed.length}\n`);
  });
});
