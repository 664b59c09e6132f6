import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CreateOidcApplicationRequestSchema } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcAppType, OidcAuthMethodType, OidcGrantType } from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { canaries } from "../../../support/canaries.ts";
import type { TestService } from "../../../support/service.ts";
import { createApplication, type TestApplication } from "./application.ts";
import { credentialsOf, signIn } from "./signed-in.ts";
import { askForTokens, type Fields, issuerOf, postForm } from "./machine.ts";
import { openUserAgent, type UserAgent, type Visited } from "./user-agent.ts";

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** What a device gets that asks for a login. */
export interface WaitingDevice {
  readonly deviceCode: string;
  readonly userCode: string;
  /** The link that has the user code. */
  readonly link: string;
}

/** Creates an application of devices, without a secret unless the test says otherwise. */
export function createDeviceApplication(
  service: TestService,
  where: { readonly organizationId: string; readonly projectId: string },
  settings: MessageInitShape<typeof CreateOidcApplicationRequestSchema> = {},
): Promise<TestApplication> {
  return createApplication(service, where, {
    redirectUris: [],
    postLogoutRedirectUris: [],
    grantTypes: [OidcGrantType.DEVICE_CODE, OidcGrantType.REFRESH_TOKEN],
    appType: OidcAppType.NATIVE,
    authMethodType: OidcAuthMethodType.NONE,
    ...settings,
  });
}

/** Asks for a login of a device. */
export async function askForDevice(
  service: TestService,
  application: TestApplication,
  fields: Fields = { scope: "openid offline_access" },
  headers: Readonly<Record<string, string>> = {},
) {
  const form = { ...credentialsOf(application), ...fields };
  const answer = await postForm(service, "/oauth/v2/device_authorization", form, headers);
  const json = JSON.parse(answer.text) as Readonly<Record<string, unknown>>;
  if (typeof json["device_code"] === "string") canaries.add("device code", json["device_code"]);
  if (typeof json["user_code"] === "string") canaries.addUserCode(json["user_code"]);
  return { ...answer, json, error: json["error"] };
}

/** Lets a device wait. */
export async function beginDevice(
  service: TestService,
  application: TestApplication,
  scope = "openid offline_access",
): Promise<WaitingDevice> {
  const { status, json, text } = await askForDevice(service, application, { scope });
  if (status !== 200) throw new Error(`no device code: ${text}`);
  return {
    deviceCode: String(json["device_code"]),
    userCode: String(json["user_code"]),
    link: String(json["verification_uri_complete"]),
  };
}

/** Asks for the tokens of a device. */
export function poll(
  service: TestService,
  application: TestApplication,
  { deviceCode }: Pick<WaitingDevice, "deviceCode">,
  fields: Fields = {},
) {
  const form = { grant_type: deviceGrant, device_code: deviceCode, ...credentialsOf(application), ...fields };
  return askForTokens(service, form);
}

/** Opens a browser without cookies. `remoteAddress`: as a proxy says it. */
export function openBrowser(service: TestService, remoteAddress?: string): UserAgent {
  const forwarded: Readonly<Record<string, string>> =
    remoteAddress === undefined ? {} : { "x-forwarded-for": remoteAddress };
  return openUserAgent({
    origin: issuerOf(service),
    send: (request) => service.http.send({ ...request, headers: { ...request.headers, ...forwarded } }),
  });
}

/** Opens a link to the page for codes as people do, and sends the code on. Returns the page that is shown then. */
export async function enterCode(agent: UserAgent, link: string, userCode?: string): Promise<Visited> {
  const page = await agent.open(link);
  return await agent.submit(page, userCode === undefined ? {} : { user_code: userCode });
}

/** Enters the code of a device, logs in, and returns the page that asks whether the device may be logged in. */
export async function reachQuestion(
  agent: UserAgent,
  device: WaitingDevice,
  person: { readonly username: string; readonly password: string },
): Promise<Visited> {
  return await agent.submit(await enterCode(agent, device.link), person);
}

/** Answers the question whether the device may be logged in, and returns the page that is shown then. */
export function answerQuestion(
  agent: UserAgent,
  question: Visited,
  choice: "allow" | "cancel" | "another",
): Promise<Visited> {
  return agent.submit(question, { choice });
}

/** Opens a browser in which the user has a session. */
export async function openBrowserOf(service: TestService, userId: string): Promise<UserAgent> {
  const agent = openBrowser(service);
  const [name = "", value = ""] = (await signIn(service, userId)).cookie.split("=");
  agent.cookies.set(name, value);
  return agent;
}

/** Lets a user allow a device, in a browser in which they have a session. */
export async function allowDevice(
  service: TestService,
  device: WaitingDevice,
  userId: string,
): Promise<void> {
  const agent = await openBrowserOf(service, userId);
  const end = await answerQuestion(agent, await enterCode(agent, device.link), "allow");
  if (end.url.pathname !== "/device/allowed") throw new Error(`not allowed: ${end.page?.text}`);
}
