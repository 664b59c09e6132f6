import { endLogin, type UserAgent } from "../../oidc/support/user-agent.ts";
import type { TestService } from "../../../support/service.ts";
import { uniqueName } from "../../../support/world.ts";
import { makePartyKeys, type PartyKeys } from "../node-saml/party-keys.ts";
import type { SamlPlace, ServicePlace } from "../node-saml/saml-place.ts";
import { escape, names, type QueryParts, signMessage, writeMessage, writeQuery } from "./forge.ts";

/** What an attacker knows: service providers, their metadata, and the keys of all but the one that is attacked. */
export interface AttackGround {
  readonly service: TestService;
  readonly place: SamlPlace;
  readonly issuer: string;
  /** The service provider that is attacked. It signs its requests, and has several places for answers. */
  readonly target: Target;
  /** A service provider of the attacker, in the same project. */
  readonly other: Target;
  /** A key that nobody knows. */
  readonly stranger: PartyKeys;
  readonly ec: PartyKeys;
  /** Writes an AuthnRequest that is good but for what is said. */
  request(parts?: RequestParts): string;
  /** Writes a LogoutRequest or a LogoutResponse likewise. */
  logout(root: "LogoutRequest" | "LogoutResponse", parts?: RequestParts): string;
  /** An instant, in so many seconds from now. */
  instant(seconds: number): string;
  /** The NameID under which the target knows somebody who has a session. */
  victim(): string;
  /** A browser in which that user has logged in to the target. */
  readonly browser: UserAgent;
}

/** A service provider. */
export interface Target {
  readonly entityId: string;
  readonly acs: string;
  readonly secondAcs: string;
  readonly slo: string;
  readonly keys: PartyKeys;
  readonly appId: string;
}

export interface RequestParts {
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly issuer?: string;
  readonly content?: string;
  readonly root?: string;
}

/** A request as it goes over the wire. */
export interface Attempt {
  readonly path: string;
  /** By HTTP-Redirect: the query. */
  readonly query?: string;
  /** By HTTP-POST: the body. */
  readonly form?: string;
}

/** What is tried, and the request that tries it. */
export type Attack = readonly [name: string, attempt: (ground: AttackGround) => Attempt];

export const sso = "/saml/v2/SSO";
export const slo = "/saml/v2/SLO";
/** The ID of the messages of a ground. */
export const id = "_4fee3b046395c4e751011e97f8900b5273d56685";

export async function layAttackGround(place: ServicePlace): Promise<AttackGround> {
  const { service, issuer } = place;
  const target = await addTarget(place, makePartyKeys());
  const instant = (seconds: number) => new Date(service.clock.nowMs() + 1000 * seconds).toISOString();
  const write = (root: string, path: string, own: RequestParts["attributes"], parts: RequestParts) =>
    writeMessage({
      root: parts.root ?? root,
      attributes: {
        ID: id,
        Version: "2.0",
        IssueInstant: instant(0),
        Destination: `${issuer}${path}`,
        ...own,
        ...parts.attributes,
      },
      issuer: parts.issuer ?? `<saml:Issuer>${escape(target.entityId)}</saml:Issuer>`,
      content: parts.content ?? "",
    });
  const ground: Omit<AttackGround, "victim" | "browser"> = {
    service,
    place,
    issuer,
    target,
    other: await addTarget(place, makePartyKeys()),
    stranger: makePartyKeys(),
    ec: makePartyKeys("P-256"),
    instant,
    request: (parts = {}) =>
      write(
        "AuthnRequest",
        sso,
        { AssertionConsumerServiceURL: target.acs, ProtocolBinding: names.post },
        parts,
      ),
    logout: (root, parts = {}) =>
      write(root, slo, root === "LogoutResponse" ? { InResponseTo: "_of-nothing" } : {}, parts),
  };
  const browser = place.openBrowser();
  const { query = "" } = bySignedQuery(ground, ground.request());
  const { posted } = await endLogin(browser, await browser.open(`${issuer}${sso}?${query}`), place.person);
  const answer = Buffer.from(Object.fromEntries(posted ?? [])["SAMLResponse"] ?? "", "base64").toString();
  const [, victim] = /<saml:NameID[^>]*>([^<]+)</.exec(answer) ?? [];
  if (victim === undefined) throw new Error(`nobody has logged in: ${answer}`);
  return { ...ground, browser, victim: () => victim };
}

/** Adds a service provider whose metadata says that it signs its requests. */
async function addTarget(place: SamlPlace, keys: PartyKeys): Promise<Target> {
  const origin = `https://${uniqueName("sp")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")}.example`;
  const target = {
    entityId: `${origin}/metadata`,
    acs: `${origin}/acs?a=1&b=2`,
    secondAcs: `${origin}/second`,
    slo: `${origin}/slo`,
  };
  const acs = (binding: string, location: string, index: number) =>
    `<m:AssertionConsumerService Binding="${binding}" Location="${escape(location)}" index="${index}"/>`;
  const metadata =
    `<m:EntityDescriptor xmlns:m="${names.metadata}" xmlns:ds="${names.signature}" entityID="${target.entityId}">` +
    `<m:SPSSODescriptor AuthnRequestsSigned="true" protocolSupportEnumeration="${names.protocol}">` +
    `<m:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${keys.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></m:KeyDescriptor>` +
    `<m:SingleLogoutService Binding="${names.redirect}" Location="${target.slo}"/>` +
    acs(names.post, target.acs, 0) +
    acs(names.post, target.secondAcs, 1) +
    acs(names.artifact, `${origin}/artifact`, 2) +
    "</m:SPSSODescriptor></m:EntityDescriptor>";
  return { ...target, keys, appId: await place.addApplication(metadata) };
}

/** Sends a message by HTTP-POST as it is. */
export function byPost(
  xml: string | Buffer,
  more: Readonly<Record<string, string>> = {},
  path = sso,
): Attempt {
  const fields = { SAMLRequest: Buffer.from(xml).toString("base64"), RelayState: "here", ...more };
  return { path, form: new URLSearchParams(fields).toString() };
}

/** Sends a message by HTTP-POST, signed by the target. */
export function bySignedPost({ target }: Pick<AttackGround, "target">, xml: string): Attempt {
  return byPost(signMessage(xml, { key: target.keys.privateKey, id }));
}

/** Sends a message by HTTP-Redirect, signed by the target unless another key is named. */
export function bySignedQuery(
  { target }: Pick<AttackGround, "target">,
  xml: string,
  parts: Partial<QueryParts> = {},
): Attempt {
  return { path: sso, query: writeQuery({ xml, key: target.keys.privateKey, relayState: "here", ...parts }) };
}
