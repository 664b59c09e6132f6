import { afterAll, expect, test } from "@jest/globals";
import { EventEmitter } from "node:events";
import { SessionEnded, toSessionCall } from "../../../src/sites/account/session-call.ts";
import { write } from "../../../src/identity/context.ts";
import { findLiveSession, putSessionValue } from "../../../src/identity/logins/sessions/repository.ts";
import { terminateSession } from "../../../src/identity/logins/sessions/session.ts";
import { requireRecentLogin } from "../../../src/identity/logins/recent-logins/recent-login.ts";
import type { Exchange } from "../../../src/kernel/http/exchanges/exchange.ts";
import { hashCookie } from "../../../src/sites/login/cookies/cookies.ts";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { signIn } from "../oidc/support/signed-in.ts";
import { startAccountPlace } from "./support/account-place.ts";

const place = await startAccountPlace();
afterAll(() => place.stop());

/** Makes the call of somebody who has just logged in. */
async function begin() {
  const { context } = place.service;
  const { id } = await place.addPerson();
  const { cookie } = await signIn(place.service, id);
  const hash = hashCookie(new Secret(cookie.slice("gh_session=".length)));
  const answering = new EventEmitter();
  const exchange = { requestId: "request", remoteAddress: "192.0.2.1", answering } as unknown as Exchange; // as much as is read
  return await context.database.read(async (tx) => {
    const session = await findLiveSession(tx, hash, context.clock.nowMs());
    if (session === undefined) throw new Error("there is no session");
    return { session, answering, call: await toSessionCall(tx, context, { exchange, session, hash }) };
  });
}

test("the call of a session is of its user, about the user alone, and of a login", async () => {
  const { call, session } = await begin();
  expect(call.caller).toMatchObject({
    userId: session.user.id,
    tokenId: undefined,
    isLimited: false,
    held: [],
    login: { sessionId: session.session.id, authTimeMs: session.authTimeMs, isMultiFactor: false },
  });
  expect(call.access).toEqual({
    organizationId: session.user.organizationId,
    projects: new Set(),
    projectGrants: new Set(),
  });
});

test("it changes nothing once the session has ended, or has another value", async () => {
  const { context } = place.service;
  const ended = await begin();
  await place.record(terminateSession(ended.session.session, "terminated"));
  const renewed = await begin();
  const { nowMs } = context.clock;
  const { id: sessionId } = renewed.session.session;
  await context.database.write((tx) =>
    putSessionValue(tx, { sessionId, hash: "another", nowMs: nowMs(), idleMs: 60_000 }),
  );
  for (const { call } of [ended, renewed])
    await expect(write(context, call, async () => "done")).rejects.toThrow(SessionEnded);
  const good = await begin();
  expect(await write(context, good.call, async () => "done")).toBe("done");
});

test("it is given up when the browser is gone", async () => {
  const { call, answering } = await begin();
  answering.emit("close");
  expect(call.signal?.aborted).toBe(true);
});

test("it is judged as a login that gets old, not as a token that the user has", async () => {
  const { context, clock } = place.service;
  const { call } = await begin();
  const judge = () =>
    context.database.read((tx) =>
      requireRecentLogin(tx, call, { clock, hasTwoFactors: async () => false, mayUseToken: true }),
    );
  await expect(judge()).resolves.toBeUndefined();
  clock.turn(600_000);
  await expect(judge()).rejects.toMatchObject({ reason: "REAUTHENTICATION_REQUIRED" });
});
