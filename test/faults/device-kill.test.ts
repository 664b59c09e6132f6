// SIGKILL while somebody allows a device (RFC 8628): once the page has said so, the device gets its tokens; before, it waits on.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { OidcAppType, OidcGrantType } from "../../gen/gatehouse/v1/oidc_pb.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestApplication,
  type TestPerson,
} from "../sites/oidc/support/login-place.ts";
import { deviceGrant } from "../sites/oidc/support/device.ts";
import { openUserAgent } from "../sites/oidc/support/user-agent.ts";
import { canaries } from "../support/canaries.ts";
import { rounds, useServing } from "./support/serving.ts";

const issuer = "http://localhost:4711";
const serving = useServing(["--issuer", issuer]);

let application: TestApplication;
let person: TestPerson;
/** How often the page had said that the device is allowed, and how often it had not. */
let allowed = 0;
let cutOff = 0;

beforeAll(async () => {
  const { service } = serving;
  const loginPlace = await createLoginPlace(service);
  person = await createPerson(service, loginPlace.organizationId);
  application = await createOidcApplication(service, loginPlace, {
    grantTypes: [OidcGrantType.DEVICE_CODE, OidcGrantType.REFRESH_TOKEN],
    appType: OidcAppType.NATIVE,
  });
}, 60_000);

async function ask(path: string, form: Readonly<Record<string, string>>) {
  const { text } = await serving.http.send({
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

const poll = (deviceCode: string) =>
  ask("/oauth/v2/token", { grant_type: deviceGrant, device_code: deviceCode });

/** Types the code of the device in a browser of its own, logs in, and returns what says yes. */
async function reachQuestion(link: string): Promise<() => Promise<string>> {
  const { username, password } = person;
  const agent = openUserAgent({ origin: issuer, send: (request) => serving.http.send(request) });
  const login = await agent.submit(await agent.open(link), {});
  const question = await agent.submit(login, { username, password });
  return async () => (await agent.submit(question, { choice: "allow" })).url.pathname;
}

/** Allows a device that has been told to wait, and lets it poll again when it may. */
async function allowAndPoll(link: string, deviceCode: string) {
  const allow = await reachQuestion(link);
  expect(await allow()).toBe("/device/allowed");
  await serving.place.look((raw) => raw.damage("UPDATE device_authorizations SET last_poll_ms = NULL"));
  return await poll(deviceCode);
}

describe("SIGKILL while somebody allows a device", () => {
  test.each(rounds)(
    "round %d, %s: the tokens come if the page said so, and else the user can answer again",
    async (_round, moment) => {
      const asked = await ask("/oauth/v2/device_authorization", { scope: "openid offline_access" });
      const { device_code: deviceCode = "", verification_uri_complete: link = "" } = asked;
      const allow = await reachQuestion(link);
      const end = await serving.cutOff(moment, allow);
      const answer = await poll(deviceCode);
      if (end === "/device/allowed") allowed += 1;
      else cutOff += 1;
      const waits = end === undefined && answer["error"] === "authorization_pending";
      const given = waits ? await allowAndPoll(link, deviceCode) : answer;
      const { error } = await poll(deviceCode);
      expect([given["error"], given["refresh_token"], error]).toEqual([
        undefined,
        expect.any(String),
        "invalid_grant",
      ]);
    },
  );

  test("some answers were lost, and others were not", () => {
    expect([allowed > 0, cutOff > 0]).toEqual([true, true]);
  });
});
