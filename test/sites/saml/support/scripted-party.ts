// A service provider that says what the test wants, and reads what it gets with xml-crypto.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { OrganizationService } from "../../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import type { LoginPlace } from "../../oidc/support/login-place.ts";
import { openUserAgent, type UserAgent, type Visited } from "../../oidc/support/user-agent.ts";
import { signIn } from "../../oidc/support/signed-in.ts";
import type { SessionMethod } from "../../../../src/identity/logins/sessions/session.ts";
import type { CallableService, TestService } from "../../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../../support/world.ts";
import {
  bindingUris,
  escapeXml,
  newMessageId,
  type RequestParts,
  signMessage,
  toQuery,
  uniqueOrigin,
  writeKey,
  writeMetadata,
  writeRequest,
} from "./messages.ts";
import { makePartyKeys, type PartyKeys } from "../node-saml/party-keys.ts";
import { readAnswer } from "./saml-answer.ts";

/** What is special about a service provider. */
export interface PartyMetadata {
  readonly isSigning?: boolean;
  readonly nameIdFormats?: readonly string[];
  /** XML at the end of the SPSSODescriptor. */
  readonly content?: string;
  /** AssertionConsumerServices in the order of the document. Default: one by HTTP-POST. */
  readonly acs?: readonly {
    readonly location: string;
    readonly binding?: string;
    readonly isDefault?: boolean;
  }[];
  /** What it signs with. Default: the key of all. */
  readonly keys?: PartyKeys;
  /** Whether it publishes its key for encryption too. */
  readonly isEncrypting?: boolean;
}

/** How a request goes. */
export interface Sending extends RequestParts {
  readonly relayState?: string;
  readonly isSigned?: boolean;
  readonly id?: string;
}

type Settings = Omit<
  MessageInitShape<typeof ApplicationService.method.updateSamlSettings.input>,
  "$typeName"
>;

/** A service provider that an application describes. */
export type ScriptedParty = Awaited<ReturnType<typeof addScriptedParty>>;

/** The origin of the pages, with a browser without cookies. */
export function openBrowser(service: Pick<SamlService, "port" | "http">): UserAgent {
  return openUserAgent({ origin: originOf(service), send: (request) => service.http.send(request) });
}

/** A browser in which the user has a session with these checks, as a login would have left it. */
export async function openSignedIn(
  service: TestService,
  userId: string,
  methods?: readonly SessionMethod[],
): Promise<UserAgent & { readonly sessionId: string }> {
  const { sessionId, cookie } = await signIn(service, userId, methods);
  const browser = openBrowser(service);
  const [name = "", value = ""] = cookie.split("=");
  browser.cookies.set(name, value);
  return { ...browser, sessionId };
}

/** What service providers need of a service. */
export type SamlService = CallableService & Pick<TestService, "port" | "clock" | "http">;

/** The issuer of a service in local mode. */
export function originOf({ port }: Pick<TestService, "port">): string {
  return `http://localhost:${port}`;
}

/** Returns the certificate of the identity provider that signs now: base64 of the DER. */
async function readCertificate(service: Pick<SamlService, "port" | "http">): Promise<string> {
  const headers = { host: new URL(originOf(service)).host };
  const { text } = await service.http.send({ method: "GET", path: "/saml/v2/metadata", headers });
  return /X509Certificate>([^<]+)</.exec(text)?.[1] ?? "";
}

/** Makes a service provider, and an application of its metadata in the place. */
export async function addScriptedParty(
  service: SamlService,
  place: LoginPlace,
  metadata: PartyMetadata = {},
) {
  const origin = uniqueOrigin("sp");
  const [entityId, acs, slo] = [`${origin}/metadata?a=1&b=2`, `${origin}/acs?a=1&copy=2`, `${origin}/slo`];
  const keys = metadata.keys ?? sharedKeys();
  const write = (wanted: PartyMetadata) => Buffer.from(metadataOf({ entityId, acs, slo, keys }, wanted));
  const certificate = await readCertificate(service);
  const call = createCaller(service, place.organizationId);
  const made = await call(ApplicationService.method.createSamlApplication, {
    projectId: place.projectId,
    name: uniqueName("Portal"),
    metadataXml: write(metadata),
  });
  const appId = idOf(made, "appId");
  const about = { projectId: place.projectId, appId };
  const destination = `${originOf(service)}/saml/v2/SSO`;
  const requestOf = ({ id = newMessageId(), ...parts }: Sending = {}) =>
    writeRequest({ entityId, id, nowMs: service.clock.nowMs(), destination }, parts);
  const urlOf = (sending: Sending = {}) => {
    const { relayState, isSigned = true } = sending;
    return `${destination}?${toQuery("SAMLRequest", requestOf(sending), { relayState, keys: isSigned ? keys : undefined })}`;
  };
  return {
    place,
    appId,
    entityId,
    acs,
    slo,
    keys,
    /** Writes its request, without a signature. */
    requestOf,
    /** The URL that takes its request by HTTP-Redirect. */
    urlOf,
    /** Sends the browser with a request by HTTP-Redirect. */
    ask: (browser: UserAgent, sending?: Sending) => browser.open(urlOf(sending)),
    /** Sends the browser with a request by HTTP-POST. */
    async askByPost(browser: UserAgent, sending: Sending = {}) {
      const { relayState, isSigned = true } = sending;
      const xml = isSigned ? signMessage(requestOf(sending), keys) : requestOf(sending);
      return await browser.post(destination, [
        ["SAMLRequest", Buffer.from(xml).toString("base64")],
        ...(relayState === undefined ? [] : [["RelayState", relayState] as const]),
      ]);
    },
    /** Reads the answer that the browser brings, with the signatures verified. Throws when it brings none, or to another place. */
    read(visited: Visited) {
      const answer = readAnswer(visited, certificate);
      if (visited.url.href !== answer.destination)
        throw new Error(`the answer for ${answer.destination} went to ${visited.url.href}`);
      return answer;
    },
    async setSettings(settings: Settings) {
      await call(ApplicationService.method.updateSamlSettings, { ...about, ...settings });
    },
    /** Replaces its metadata. */
    async setMetadata(wanted: PartyMetadata) {
      await call(ApplicationService.method.updateSamlConfig, { ...about, metadataXml: write(wanted) });
    },
  };
}

/** Switches off what an application is in, until the returned function is called. */
export async function switchOff(
  service: TestService,
  what: "application" | "project" | "organization",
  { place, appId }: Pick<ScriptedParty, "place" | "appId">,
): Promise<() => Promise<void>> {
  const call = createCaller(service, place.organizationId);
  const { projectId, organizationId: id } = place;
  switch (what) {
    case "application":
      await call(ApplicationService.method.deactivateApplication, { projectId, appId });
      return async () =>
        void (await call(ApplicationService.method.reactivateApplication, { projectId, appId }));
    case "project":
      await call(ProjectService.method.deactivateProject, { id: projectId });
      return async () => void (await call(ProjectService.method.reactivateProject, { id: projectId }));
    case "organization":
      await call(OrganizationService.method.deactivateOrganization, { id });
      return async () => void (await call(OrganizationService.method.reactivateOrganization, { id }));
  }
}

let keysOfAll: PartyKeys | undefined;

/** A key takes long to make, and no test looks whose it is. */
function sharedKeys(): PartyKeys {
  keysOfAll ??= makePartyKeys();
  return keysOfAll;
}

function metadataOf(
  own: Readonly<Record<"entityId" | "acs" | "slo", string>> & { readonly keys: PartyKeys },
  { isSigning = false, nameIdFormats = [], content = "", acs, isEncrypting = false }: PartyMetadata,
): string {
  const services = (acs ?? [{ location: own.acs }]).map(
    ({ location, binding = bindingUris.post, isDefault }, index) =>
      `<md:AssertionConsumerService Binding="${binding}" Location="${escapeXml(location)}" index="${index}"${isDefault === undefined ? "" : ` isDefault="${isDefault}"`}/>`,
  );
  const keys = ["signing", ...(isEncrypting ? ["encryption"] : [])].map((use) => writeKey(own.keys, use));
  const logouts = Object.values(bindingUris).map(
    (binding) => `<md:SingleLogoutService Binding="${binding}" Location="${escapeXml(own.slo)}"/>`,
  );
  const formats = nameIdFormats.map((format) => `<md:NameIDFormat>${format}</md:NameIDFormat>`);
  const elements = [...keys, ...logouts, ...formats, ...services, content];
  return writeMetadata(own.entityId, elements, ` AuthnRequestsSigned="${isSigning}"`);
}
