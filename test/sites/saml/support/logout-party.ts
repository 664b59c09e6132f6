// A service provider that logs out, and is asked to: it says what the test wants.
import { createVerify, type X509Certificate } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { SignedXml } from "xml-crypto";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { type ApplicationId, type OrganizationId, toId } from "../../../../src/kernel/base/ids.ts";
import {
  countNamesOfPart,
  putParticipation,
} from "../../../../src/identity/logins/saml-participations/repository.ts";
import { createParticipation } from "../../../../src/identity/logins/saml-participations/saml-participation.ts";
import { findSession } from "../../../../src/identity/logins/sessions/repository.ts";
import { parseTextXml } from "../../../../src/kernel/xml/text-document.ts";
import { formsOf } from "../../login/support/browser.ts";
import { canaries } from "../../../support/canaries.ts";
import type { HttpAnswer } from "../../../support/http-client.ts";
import type { TestService } from "../../../support/service.ts";
import { createCaller, idOf, uniqueName, type World } from "../../../support/world.ts";
import { requireCanonical } from "./canonical.ts";
import { attribute, listBelow } from "./elements.ts";
import {
  bindingUris,
  escapeXml,
  newMessageId,
  signMessage,
  toQuery,
  uniqueOrigin,
  writeKey,
  writeMetadata,
  writeRequest,
} from "./messages.ts";
import { makePartyKeys, type PartyKeys } from "../node-saml/party-keys.ts";

/** Where the service provider takes part in logouts. */
export interface PartyLogoutService {
  readonly binding: "redirect" | "post";
  readonly location?: string;
  readonly responseLocation?: string;
}

/** How a user is known to the service provider in a session. */
export interface Part {
  readonly nameId: string;
  readonly sessionIndex: string;
}

/** How a service provider differs from others. */
export interface PartyKind {
  /** Default: both bindings, at one location. Without any it cannot be asked. */
  readonly services?: readonly PartyLogoutService[];
  /** What it signs with. Default: a new key. */
  readonly keys?: PartyKeys;
  /** Whether its metadata says no key. */
  readonly hidesKey?: boolean;
}

/** What a LogoutRequest names. */
export interface Named {
  readonly nameId: string;
  readonly sessionIndexes?: readonly string[];
}

/** How a message differs from a good one. Undefined takes an attribute away. */
export interface Wrong {
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly issuer?: string;
  /** Undefined: it is not signed. Default: its own. */
  readonly keys?: PartyKeys | undefined;
}

/** A message as a browser brings it to us. */
export interface BroughtMessage {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly form?: Readonly<Record<string, string>>;
}

/** A service provider that an application describes. */
export type LogoutParty = Awaited<ReturnType<typeof addLogoutParty>>;

/** How a message is brought. Default: by HTTP-Redirect, without RelayState. */
export interface Bringing {
  readonly binding?: "redirect" | "post";
  readonly relayState?: string;
  /** How a query encodes the RelayState. */
  readonly encodedRelayState?: string;
}

/** Makes a service provider, and an application of its metadata in the world. */
export async function addLogoutParty(
  service: TestService,
  world: Pick<World, "organizationId" | "projectId">,
  party: PartyKind = {},
) {
  const { services = bothBindings, keys = makePartyKeys(), hidesKey = false } = party;
  const origin = uniqueOrigin("party");
  const [entityId, slo] = [`${origin}/metadata`, `${origin}/slo?a=1`];
  const call = createCaller(service, world.organizationId);
  const { projectId } = world;
  const made = await call(ApplicationService.method.createSamlApplication, {
    projectId,
    name: uniqueName("Party"),
    metadataXml: Buffer.from(metadataOf({ entityId, slo, origin }, services, hidesKey ? undefined : keys)),
  });
  const applicationId = idOf(made, "appId");
  const url = `http://localhost:${service.port}/saml/v2/SLO`;
  const write = (root: string, id: string, { attributes, issuer }: Wrong, content: string) =>
    writeRequest(
      { entityId, id, nowMs: service.clock.nowMs(), destination: url },
      { root, content, ...(attributes && { attributes }), ...(issuer !== undefined && { issuer }) },
    );
  const bring = (
    kind: "SAMLRequest" | "SAMLResponse",
    xml: string,
    how: Wrong & Bringing,
  ): BroughtMessage => {
    const signer = "keys" in how ? how.keys : keys;
    const { binding = "redirect", relayState, encodedRelayState } = how;
    if (binding === "redirect")
      return {
        method: "GET",
        url: `${url}?${toQuery(kind, xml, { relayState, encodedRelayState, keys: signer })}`,
      };
    const signed = signer === undefined ? xml : signMessage(xml, signer);
    return {
      method: "POST",
      url,
      form: {
        [kind]: Buffer.from(signed).toString("base64"),
        ...(relayState === undefined ? {} : { RelayState: relayState }),
      },
    };
  };
  return {
    applicationId,
    entityId,
    slo,
    keys,
    /** Sends a call about the application. */
    call,
    /** Takes part in a session, as a login does, without its pages. Default: under a new name. */
    takePart: (sessionId: string, nameId = `user-${newMessageId()}`) =>
      takePart(service, { applicationId, organizationId: world.organizationId, sessionId, nameId }),
    /** Makes a LogoutRequest. */
    request(
      { nameId, sessionIndexes = [] }: Named,
      { id = newMessageId(), ...how }: Wrong & Bringing & { readonly id?: string } = {},
    ) {
      const indexes = sessionIndexes.map((each) => `<samlp:SessionIndex>${each}</samlp:SessionIndex>`);
      const content = `<saml:NameID>${escapeXml(nameId)}</saml:NameID>${indexes.join("")}`;
      return bring("SAMLRequest", write("LogoutRequest", id, how, content), how);
    },
    /** Makes the answer to a LogoutRequest. `status`: the last parts of its levels, such as `Success/PartialLogout`. */
    respond(
      requestId: string | undefined,
      { status = "Success", ...how }: Wrong & Bringing & { readonly status?: string } = {},
    ) {
      const attributes = { InResponseTo: requestId, ...how.attributes };
      const [top = "", second] = status
        .split("/")
        .map((code) => `urn:oasis:names:tc:SAML:2.0:status:${code}`);
      const below = second === undefined ? "" : `<samlp:StatusCode Value="${second}"/>`;
      const content = `<samlp:Status><samlp:StatusCode Value="${top}">${below}</samlp:StatusCode></samlp:Status>`;
      return bring(
        "SAMLResponse",
        write("LogoutResponse", newMessageId(), { ...how, attributes }, content),
        how,
      );
    },
  };
}

/**
 * Reads the message that the browser takes from us to a service provider. Throws when there is none, its signature is bad, or
 * it is not its own canonical form.
 */
export function readSent(answer: HttpAnswer, certificate: X509Certificate) {
  const location = answer.headers.get("location");
  const [form] = formsOf(answer.text);
  if (location !== null && !location.startsWith("http://localhost:"))
    return readSentQuery(new URL(location), certificate);
  if (form === undefined) throw new Error(`nothing is sent: ${answer.status} ${location} ${answer.text}`);
  return readSentForm(form, certificate);
}

function readSentQuery(url: URL, certificate: X509Certificate) {
  const at = url.search.search(/SAML(?:Request|Response)=/);
  const query = url.search.slice(at);
  const kind = query.startsWith("SAMLRequest") ? ("SAMLRequest" as const) : ("SAMLResponse" as const);
  const [signed = "", signature = ""] = query.split("&Signature=");
  const good = createVerify("sha256")
    .update(signed)
    .verify(certificate.publicKey, decodeURIComponent(signature), "base64");
  if (!good) throw new Error("the signature of the query is bad");
  const parameters = new URLSearchParams(query);
  const xml = inflateRawSync(Buffer.from(parameters.get(kind) ?? "", "base64")).toString();
  /** Where it goes, without the message. */
  const to = `${url.origin}${url.pathname}${url.search.slice(0, at).replace(/[?&]$/, "")}`;
  const relayState = parameters.get("RelayState") ?? undefined;
  const encodedRelayState = /&RelayState=([^&]*)/.exec(signed)?.[1];
  return { kind, binding: "redirect" as const, to, relayState, encodedRelayState, ...readXml(xml) };
}

function readSentForm(
  { action, fields }: { readonly action: string; readonly fields: Readonly<Record<string, string>> },
  certificate: X509Certificate,
) {
  const kind = "SAMLRequest" in fields ? ("SAMLRequest" as const) : ("SAMLResponse" as const);
  const xml = Buffer.from(fields[kind] ?? "", "base64").toString();
  const verifier = new SignedXml({ publicCert: certificate.toString() });
  verifier.loadSignature(/<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? "");
  if (!verifier.checkSignature(xml)) throw new Error("the signature of the message is bad");
  const relayState = fields["RelayState"];
  return {
    kind,
    binding: "post" as const,
    to: action,
    relayState,
    encodedRelayState: undefined,
    ...readXml(xml),
  };
}

function readXml(xml: string) {
  requireCanonical(xml);
  const { root } = parseTextXml(xml);
  const find = (name: string) => listBelow(root, name);
  const codes = find("StatusCode").map((code) => attribute(code, "Value")?.split(":").at(-1) ?? "");
  return {
    root,
    id: attribute(root, "ID") ?? "",
    inResponseTo: attribute(root, "InResponseTo"),
    issuer: find("Issuer")[0]?.text,
    nameId: find("NameID")[0]?.text,
    sessionIndexes: find("SessionIndex").map(({ text = "" }) => text),
    /** The last part of each level, such as `Success/PartialLogout`; empty for a request. */
    status: codes.join("/"),
  };
}

async function takePart(
  { context }: TestService,
  about: {
    readonly applicationId: string;
    readonly organizationId: string;
    readonly sessionId: string;
    readonly nameId: string;
  },
): Promise<Part> {
  const { nameId, sessionId } = about;
  canaries.addPersonal("NameID", nameId);
  const sessionIndex = await context.database.write(async (tx) => {
    const session = await findSession(tx, sessionId);
    if (session === undefined) throw new Error(`there is no session ${sessionId}`);
    const part = { sessionId: session.id, applicationId: toId<ApplicationId>(about.applicationId) };
    const { sessionIndex: index = newMessageId() } = await countNamesOfPart(tx, part, "PERSISTENT");
    const participation = createParticipation(context.keyring, {
      ...part,
      userId: session.userId,
      userOrganizationId: toId<OrganizationId>(session.details.resourceOwner),
      applicationOrganizationId: toId<OrganizationId>(about.organizationId),
      nameId: { format: "PERSISTENT", value: nameId },
      sessionIndex: index,
      authenticationDateMs: context.clock.nowMs(),
      expirationMs: session.expirationMs,
    });
    await putParticipation(tx, participation);
    return index;
  });
  return { nameId, sessionIndex };
}

const bothBindings: readonly PartyLogoutService[] = [{ binding: "redirect" }, { binding: "post" }];

function metadataOf(
  { entityId, slo, origin }: Readonly<Record<"entityId" | "slo" | "origin", string>>,
  services: readonly PartyLogoutService[],
  keys: PartyKeys | undefined,
): string {
  const logouts = services.map(({ binding, location = slo, responseLocation }) => {
    const back = responseLocation === undefined ? "" : ` ResponseLocation="${escapeXml(responseLocation)}"`;
    return `<md:SingleLogoutService Binding="${bindingUris[binding]}" Location="${escapeXml(location)}"${back}/>`;
  });
  const acs = `<md:AssertionConsumerService Binding="${bindingUris.post}" Location="${origin}/acs" index="0"/>`;
  return writeMetadata(entityId, [...(keys === undefined ? [] : [writeKey(keys)]), ...logouts, acs]);
}
