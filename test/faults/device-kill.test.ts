// SIGKILL while somebody allows a device (RFC 8628): once the page has said so, the device gets its tokens; before, it waits on.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { OidcAppType, OidcGrantType } from "../../gen/gatehouse/v1/oidc_pb.ts";
import type { Random } from "../hostile/support/random.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestApplication,
  type TestPerson,
} from "../oidc/support/login-place.ts";
import { deviceGrant } from "../oidc/support/device.ts";
import { openUserAgent } from "../oidc/support/user-agent.ts";
import { type Place, usePlaces } from "../process/support/place.ts";
import { canaries } from "../support/canaries.ts";
import { createHttpClient, type HttpClient } from "../support/http-client.ts";
import type { ServingProcess } from "../support/process.ts";
import { kill } from "./support/ground.ts";
import { useSeed } from "./support/seed.ts";

const newPlace = usePlaces();
const randomOf = useSeed();
/** GATEHOUSE_FAULTS_KILLS asks for more. */
const rounds = Number(process.env["GATEHOUSE_FAULTS_KILLS"] ?? 20);
const issuer = "http://localhost:4711";

let place: Place;
let random: Random;
let serving: ServingProcess;
let http: HttpClient;
let application: TestApplication;
let person: TestPerson;
/** How often the page had said that the device is allowed, and how often it had not. */
let allowed = 0;
let cutOff = 0;

const serve = () => place.serve(["--issuer", issuer]);

beforeAll(async () => {
  place = newPlace();
  random = randomOf(0);
  serving = await serve();
  http = createHttpClient(serving.url);
  const service = place.connect(serving);
  const loginPlace = await createLoginPlace(service);
  person = await createPerson(service, loginPlace.organizationId);
  application = await createOidcApplication(service, loginPlace, {
    grantTypes: [OidcGrantType.DEVICE_CODE, OidcGrantType.REFRESH_TOKEN],
    appType: OidcAppType.NATIVE,
  });
}, 60_000);
afterAll(async () => {
  http.close();
  await kill(serving);
});

/** Ends the process, if it is not gone yet, and starts another one on what it has left. */
async function startAgain(): Promise<void> {
  http.close();
  await kill(serving);
  serving = await serve();
  http = createHttpClient(serving.url);
}

async function ask(client: HttpClient, path: string, form: Readonly<Record<string, string>>) {
  const { text } = await client.send({
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: application.clientId, ...form }).toString(),
  });
  const answer = JSON.parse(text) as Readonly<Record<string, string>>;
  for (const name of ["device_code", "access_token", "refresh_token", "id_token"])
    canaries.add(name, answer[name] ?? "");
  if (answer["user_code"] !== undefined) canaries.addUserCode(answer["user_code"]);
  return answer;
}

const poll = (client: HttpClient, deviceCode: string) =>
  ask(client, "/oauth/v2/token", { grant_type: deviceGrant, device_code: deviceCode });

/** Types the code of the device in a browser of its own, logs in, and returns what says yes. */
async function reachQuestion(link: string): Promise<() => Promise<string>> {
  const { username, password } = person;
  const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
  const login = await agent.submit(await agent.open(link), {});
  const question = await agent.submit(login, { username, password });
  return async () => (await agent.submit(question, { choice: "allow" })).url.pathname;
}

/** When the process is killed, by turns: as soon as the answer is on its way, some time later, once the page has said so. */
const moments = ["at once", "on the way", "after the answer"] as const;

describe("SIGKILL while somebody allows a device", () => {
  test.each(Array.from({ length: rounds }, (_, index) => [index + 1, moments[index % 3]] as const))(
    "round %d, %s: the tokens come if the page said so, and else the user can answer again",
    async (_round, moment) => {
      const asked = await ask(http, "/oauth/v2/device_authorization", { scope: "openid offline_access" });
      const { device_code: deviceCode = "", verification_uri_complete: link = "" } = asked;
      const allow = await reachQuestion(link);
      const { child } = serving;
      if (moment !== "after the answer")
        setTimeout(() => child.kill("SIGKILL"), moment === "at once" ? 0 : random.next() * 12);
      const end = await allow().catch(() => undefined);
      await startAgain();
      const answer = await poll(http, deviceCode);
      if (end === "/device/allowed") allowed += 1;
      else cutOff += 1;
      const waits = end === undefined && answer["error"] === "authorization_pending";
      const isGiven = answer["refresh_token"] !== undefined;
      const next = waits ? await (await reachQuestion(link))() : isGiven;
      const { error } = await poll(http, deviceCode);
      expect([next, error]).toEqual(waits ? ["/device/allowed", "slow_down"] : [true, "invalid_grant"]);
    },
  );

  test("some answers were lost, and others were not", () => {
    expect([allowed > 0, cutOff > 0]).toEqual([true, true]);
  });
});
