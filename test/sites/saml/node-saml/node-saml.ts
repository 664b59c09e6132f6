// A service provider with node-saml, which others have written. The test plays its web server: it hands on what browsers bring.
import { type Profile, SAML, type SamlConfig } from "@node-saml/node-saml";
import { canaries } from "../../../support/canaries.ts";
import type { Field, UserAgent, Visited } from "../../oidc/support/user-agent.ts";
import { uniqueName } from "../../../support/world.ts";
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
export interface NodeSamlParty {
  readonly saml: SAML;
  readonly appId: string;
  readonly entityId: string;
  /** Where it takes answers. */
  readonly acs: string;
  /** Where it takes messages of logout. */
  readonly slo: string;
  /** Sends the browser with a request by HTTP-Redirect. */
  ask(browser: UserAgent, relayState?: string): Promise<Visited>;
  /** Sends the browser with a request by HTTP-POST. */
  askByPost(browser: UserAgent, relayState?: string): Promise<Visited>;
  /** Reads the answer that the browser brings: who has logged in. Throws what node-saml says against it. */
  take(visited: Visited): Promise<TakenAnswer>;
}

/** What a service provider learns. */
export interface TakenAnswer {
  /** Null: nobody has logged in (IsPassive). */
  readonly profile: Profile | null;
  readonly relayState: string | undefined;
}

/** Makes a service provider, and an application of its metadata. */
export async function addNodeSamlParty(place: SamlPlace, choices: PartyChoices = {}): Promise<NodeSamlParty> {
  const { signing, encryption, metadata = (text: string) => text } = choices;
  const origin = `https://${uniqueName("sp")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")}.example`;
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
    acs,
    slo,
    ask: async (browser, relayState = "") =>
      await browser.open(await saml.getAuthorizeUrlAsync(relayState, undefined, {})),
    async askByPost(browser, relayState = "") {
      const message = await saml.getAuthorizeMessageAsync(relayState, undefined, {});
      const fields = Object.entries(message).map(([name, value]): Field => [name, String(value)]);
      return await browser.post(`${place.issuer}/saml/v2/SSO`, fields);
    },
    async take(visited) {
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
