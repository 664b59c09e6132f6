import { endLogin, type UserAgent } from "../../oidc/support/user-agent.ts";
import { uniqueName } from "../../../support/world.ts";
import { makePartyKeys, type PartyKeys } from "../node-saml/party-keys.ts";
import type { SamlPlace, ServicePlace } from "../node-saml/saml-place.ts";
import { escape, names, type QueryParts, signMessage, writeMessage, writeQuery } from "./forge.ts";

/** What an attacker knows: service providers, their metadata, and the keys of all but the one that is attacked. */
export interface AttackGround {
  readonly issuer: string;
  /** The service provider that is attacked. It signs its requests, and has several places for answers. */
  readonly target: Target;
  /** A service provider of the attacker, in the same project. */
  readonly other: Target;
  /** A key that nobody knows. */
  readonly stranger: PartyKeys;
  /** Writes an AuthnRequest that is good but for what is said. */
  request(parts?: RequestParts): string;
  /** A browser in which somebody has logged in to the target. */
  readonly browser: UserAgent;
}

/** A service provider. */
export interface Target {
  readonly entityId: string;
  readonly acs: string;
  readonly secondAcs: string;
  readonly keys: PartyKeys;
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

const sso = "/saml/v2/SSO";
/** The ID of the messages of a ground. */
export const id = "_4fee3b046395c4e751011e97f8900b5273d56685";

export async function layAttackGround(place: ServicePlace): Promise<AttackGround> {
  const { service, issuer } = place;
  const target = await addTarget(place, makePartyKeys());
  const write = (parts: RequestParts = {}) =>
    writeMessage({
      root: parts.root ?? "AuthnRequest",
      attributes: {
        ID: id,
        Version: "2.0",
        IssueInstant: new Date(service.clock.nowMs()).toISOString(),
        Destination: `${issuer}${sso}`,
        AssertionConsumerServiceURL: target.acs,
        ProtocolBinding: names.post,
        ...parts.attributes,
      },
      issuer: parts.issuer ?? `<saml:Issuer>${escape(target.entityId)}</saml:Issuer>`,
      content: parts.content ?? "",
    });
  const other = await addTarget(place, makePartyKeys());
  const browser = place.openBrowser();
  const { query = "" } = bySignedQuery({ target }, write());
  const { posted } = await endLogin(browser, await browser.open(`${issuer}${sso}?${query}`), place.person);
  if (posted === undefined) throw new Error("nobody has logged in");
  return { issuer, target, other, stranger: makePartyKeys(), request: write, browser };
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
  };
  const acs = (binding: string, location: string, index: number) =>
    `<m:AssertionConsumerService Binding="${binding}" Location="${escape(location)}" index="${index}"/>`;
  const metadata =
    `<m:EntityDescriptor xmlns:m="${names.metadata}" xmlns:ds="${names.signature}" entityID="${target.entityId}">` +
    `<m:SPSSODescriptor AuthnRequestsSigned="true" protocolSupportEnumeration="${names.protocol}">` +
    `<m:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${keys.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></m:KeyDescriptor>` +
    acs(names.post, target.acs, 0) +
    acs(names.post, target.secondAcs, 1) +
    "</m:SPSSODescriptor></m:EntityDescriptor>";
  await place.addApplication(metadata);
  return { ...target, keys };
}

/** Sends a message by HTTP-POST as it is. */
export function byPost(xml: string | Buffer, more: Readonly<Record<string, string>> = {}): Attempt {
  const fields = { RelayState: "here", ...more, SAMLRequest: Buffer.from(xml).toString("base64") };
  return { path: sso, form: new URLSearchParams(fields).toString() };
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
