import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { CustomTextService } from "../../../gen/gatehouse/v1/custom_text_service_pb.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { OidcAppType, OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestApplication,
  type TestPerson,
} from "../../sites/oidc/support/login-place.ts";
import { deviceGrant } from "../../sites/oidc/support/device.ts";
import { openUserAgent, type UserAgent } from "../../sites/oidc/support/user-agent.ts";
import { createHttpClient, type HttpClient } from "../../support/http-client.ts";
import { createCaller } from "../../support/world.ts";
import { type Pair, startPair } from "./support/pair.ts";

// A device asks one process, its user allows it at the other, and neither has to know.

const issuer = "http://localhost:4711";

let pair: Pair;
let one: HttpClient;
let other: HttpClient;
let organizationId: string;
let application: TestApplication;
let person: TestPerson;
/** Each request of it comes to the process that did not get the one before. */
let agent: UserAgent;

beforeAll(async () => {
  pair = await startPair({ issuer });
  [one, other] = [createHttpClient(pair.one.url), createHttpClient(pair.other.url)];
  const place = await createLoginPlace(pair.one);
  organizationId = place.organizationId;
  person = await createPerson(pair.one, place.organizationId);
  application = await createOidcApplication(pair.one, place, {
    grantTypes: [OidcGrantType.DEVICE_CODE, OidcGrantType.REFRESH_TOKEN],
    appType: OidcAppType.NATIVE,
  });
  let requests = 0;
  agent = openUserAgent({
    origin: issuer,
    send: (request) => (requests++ % 2 === 0 ? one : other).send(request),
  });
});
afterAll(async () => {
  one.close();
  other.close();
  await pair.close();
});

async function ask(http: HttpClient, path: string, form: Readonly<Record<string, string>>) {
  const answer = await http.send({
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: application.clientId, ...form }).toString(),
  });
  return JSON.parse(answer.text) as Readonly<Record<string, string>>;
}

const begin = async () => {
  const asked = await ask(one, "/oauth/v2/device_authorization", { scope: "openid offline_access" });
  return { deviceCode: asked["device_code"] ?? "", link: asked["verification_uri_complete"] ?? "" };
};
const poll = (http: HttpClient, deviceCode: string) =>
  ask(http, "/oauth/v2/token", { grant_type: deviceGrant, device_code: deviceCode });

async function allow(link: string): Promise<string> {
  const { username, password } = person;
  let visited = await agent.submit(await agent.open(link), {});
  if (visited.page?.text.includes('name="password"') === true)
    visited = await agent.submit(visited, { username, password });
  return (await agent.submit(visited, { choice: "allow" })).url.pathname;
}

test("a page has the look that its organization was given, at the other process too", async () => {
  const path = `/account/signed-out?organization=${organizationId}`;
  const read = async () => (await other.send({ method: "GET", path, headers: {} })).text;
  expect(await read()).not.toContain("#123123");
  const inside = createCaller(pair.one, organizationId);
  const { updateLabelPolicy, activateLabelPolicy } = LabelPolicyService.method;
  await inside(updateLabelPolicy, { light: { primaryColor: "#123123" } });
  await inside(activateLabelPolicy, {});
  expect(await read()).toContain("#123123");
});

test("the page of devices says what the instance wants, at the other process too", async () => {
  const read = async () => (await other.send({ method: "GET", path: "/device", headers: {} })).text;
  expect(await read()).toContain("<h1>Connect a device</h1>");
  const texts = [{ key: "login.device.codeTitle", text: "Connect a television" }];
  await pair.one.call(CustomTextService.method.setDefaultCustomTexts, { language: "en", texts });
  expect(await read()).toContain("<h1>Connect a television</h1>");
});

describe("a device", () => {
  test("gets its tokens from a process that knew nothing of it", async () => {
    const { deviceCode, link } = await begin();
    expect(await allow(link)).toBe("/device/allowed");
    const tokens = await poll(other, deviceCode);
    expect(tokens).toMatchObject({ scope: "openid offline_access", refresh_token: expect.any(String) });
  });

  test("has to slow down whichever process it asks", async () => {
    const { deviceCode } = await begin();
    expect(await poll(one, deviceCode)).toMatchObject({ error: "authorization_pending" });
    expect(await poll(other, deviceCode)).toMatchObject({ error: "slow_down" });
  });

  test("gets tokens once when it asks both, four times each, at once", async () => {
    const { deviceCode, link } = await begin();
    expect(await allow(link)).toBe("/device/allowed");
    const answers = await Promise.all(
      [one, other, one, other, one, other, one, other].map((http) => poll(http, deviceCode)),
    );
    expect(answers.filter((answer) => answer["access_token"] !== undefined)).toHaveLength(1);
    expect(answers.filter(({ error }) => error === "invalid_grant")).toHaveLength(7);
  });
});
