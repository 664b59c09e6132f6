// A service provider with node-saml, which others have written. The test plays its web server: it hands on what browsers bring.
import { SAML, type SamlConfig } from "@node-saml/node-saml";
import { canaries } from "../../../support/canaries.ts";
import type { Field, UserAgent, Visited } from "../../oidc/support/user-agent.ts";
import { uniqueOrigin } from "../support/messages.ts";
import { messageOf } from "./message-of.ts";
import type { PartyKeys } from "./party-keys.ts";
import { publishedCertificates, type SamlPlace } from "./saml-place.ts";

/** What is special about a service provider. */
export interface PartyChoices {
  /** Settings of node-saml. */
  readonly saml?: Partial<SamlConfig>;
  /** It signs its requests with this key. */
  readonly signing?: PartyKeys;
  /** It publishes this key for encryption, and reads nothing else. */
  readonly encryption?: PartyKeys;
  /** Changes its metadata before the application is made of it. */
  readonly metadata?: (document: string) => string;
  /** The certificates that it takes; default: those that are published now. */
  readonly idpCert?: readonly string[];
  /** Default: that of the place. */
  readonly projectId?: string;
}

/** A service provider that an application of the place describes. */
export type NodeSamlParty = Awaited<ReturnType<typeof addNodeSamlParty>>;

/** Makes a service provider, and an application of its metadata. */
export async function addNodeSamlParty(place: SamlPlace, choices: PartyChoices = {}) {
  const { signing, encryption, metadata = (text: string) => text } = choices;
  const origin = uniqueOrigin("sp");
  const [entityId, acs, slo] = [`${origin}/metadata`, `${origin}/acs`, `${origin}/slo`];
  const saml = new SAML({
    issuer: entityId,
    callbackUrl: acs,
    logoutCallbackUrl: slo,
    entryPoint: `${place.issuer}/saml/v2/SSO`,
    logoutUrl: `${place.issuer}/saml/v2/SLO`,
    idpIssuer: `${place.issuer}/saml/v2/metadata`,
    idpCert: [...(choices.idpCert ?? (await publishedCertificates(place)))],
    signatureAlgorithm: "sha256",
    digestAlgorithm: "sha256",
    ...(signing && { privateKey: signing.privatePem, publicCert: signing.certificatePem }),
    ...(encryption && { decryptionPvk: encryption.privatePem }),
    ...choices.saml,
  });
  const document = saml.generateServiceProviderMetadata(
    encryption?.certificatePem ?? null,
    signing?.certificatePem ?? null,
  );
  return {
    saml,
    appId: await place.addApplication(metadata(document), choices.projectId),
    entityId,
    /** Where it takes answers. */
    acs,
    /** Where it takes messages of logout. */
    slo,
    /** Sends the browser with a request by HTTP-Redirect. */
    ask: async (browser: UserAgent, relayState = "") =>
      await browser.open(await saml.getAuthorizeUrlAsync(relayState, undefined, {})),
    /** Sends the browser with a request by HTTP-POST. */
    async askByPost(browser: UserAgent, relayState = "") {
      const message = await saml.getAuthorizeMessageAsync(relayState, undefined, {});
      const fields = Object.entries(message).map(([name, value]): Field => [name, String(value)]);
      return await browser.post(`${place.issuer}/saml/v2/SSO`, fields);
    },
    /** Reads the answer that the browser brings: who has logged in. Throws what node-saml says against it. */
    async take(visited: Visited) {
      const { SAMLResponse = "", RelayState } = postedTo(visited, acs);
      noteAnswer(SAMLResponse);
      const { profile } = await saml.validatePostResponseAsync({ SAMLResponse });
      return { profile, relayState: RelayState };
    },
  };
}

/** Returns the fields of the form that a page sends there; throws when it sends none, or elsewhere. */
export function postedTo({ url, page, posted }: Visited, location: string): Readonly<Record<string, string>> {
  if (posted === undefined || url.href !== location)
    throw new Error(`nothing was sent to ${location}, but ${page?.status} ${url.href} ${page?.text}`);
  messageOf({ url, page, posted });
  return Object.fromEntries(posted);
}

/** Whoever has an answer can log in with it. */
export function noteAnswer(samlResponse: string): void {
  canaries.add("SAML response", samlResponse.slice(0, 2000));
}
