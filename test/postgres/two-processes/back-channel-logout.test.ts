import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { eventually } from "../../kernel/http/support/sockets.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type LoginPlace,
  type TestApplication,
  type TestPerson,
} from "../../sites/oidc/support/login-place.ts";
import {
  claimsOf,
  type LogoutReceiver,
  startLogoutReceiver,
} from "../../sites/oidc/support/logout-receiver.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../../sites/oidc/support/user-agent.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { type Pair, type Process, startPair } from "./support/pair.ts";

const redirectUri = "https://app.example/callback";

let pair: Pair;
let receiver: LogoutReceiver;
let place: LoginPlace;
let applications: readonly (TestApplication & { readonly url: string })[];
beforeAll(async () => {
  pair = await startPair();
  receiver = await startLogoutReceiver();
  place = await createLoginPlace(pair.one);
  applications = [await listen(), await listen()];
});
afterAll(async () => {
  receiver.close();
  await pair.close();
});

async function listen() {
  const url = receiver.open();
  const settings = { redirectUris: [redirectUri], backChannelLogoutUri: url, devMode: true };
  return { ...(await createOidcApplication(pair.one, place, settings)), url };
}

/** Logs the person in to all applications, in a new browser. */
async function begin(process: Process, person: TestPerson): Promise<void> {
  const http = createHttpClient(process.url);
  const origin = `http://localhost:${new URL(process.url).port}`;
  const agent = openUserAgent({ origin, send: (request) => http.send(request) });
  for (const { clientId } of applications) {
    const start = toAuthorizationUrl(origin, [
      ["client_id", clientId],
      ["response_type", "code"],
      ["redirect_uri", redirectUri],
      ["scope", "openid"],
    ]);
    await logIn(agent, await agent.open(start), person);
  }
  http.close();
}

const waiting = async () => (await pair.peek("SELECT session_id FROM logout_notices")).length;

test("each end of a session is told once, whichever process has ended it", async () => {
  const people = [];
  for (let index = 0; index < 4; index++) people.push(await createPerson(pair.one, place.organizationId));
  for (const person of people)
    for (const process of [pair.one, pair.other]) {
      await begin(process, person);
      await begin(process, person);
    }
  await Promise.all(
    people.map(({ userId }, index) =>
      (index % 2 === 0 ? pair.one : pair.other).call(SessionService.method.terminateUserSessions, { userId }),
    ),
  );
  await eventually(async () => (await waiting()) === 0);
  for (const { url } of applications) {
    const sessions = receiver.at(url).map((received) => claimsOf(received).sid);
    expect([sessions.length, new Set(sessions).size]).toEqual([16, 16]);
  }
});

test("what nobody was woken for, the leader finds", async () => {
  const person = await createPerson(pair.one, place.organizationId);
  await begin(pair.other, person);
  const before = applications.map(({ url }) => receiver.at(url).length);
  await pair.change(
    `INSERT INTO logout_notices (session_id, application_id, user_id, tries, next_ms)
     SELECT session_id, application_id, user_id, 0, 0 FROM session_applications`,
  );
  await eventually(async () => (await waiting()) === 0);
  expect(applications.map(({ url }) => receiver.at(url).length)).toEqual(before.map((count) => count + 1));
});
