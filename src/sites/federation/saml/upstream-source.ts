import type { Clock } from "../../../kernel/base/clock.ts";
import { decodeXmlOrUtf16 } from "../../../kernel/xml/encoding.ts";
import { XmlError } from "../../../kernel/xml/scan.ts";
import type { SamlProviderStored } from "../../../identity/providers/saml.ts";
import { readUpstreamMetadata, type UpstreamMetadata } from "../../../identity/providers/saml-metadata.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { type ProviderFetch, providerLimits } from "../provider/provider-fetch.ts";
import { createRemembered, type Wait } from "../provider/remembered.ts";

/** The metadata of providers of SAML. */
export interface UpstreamSource {
  /** Reads the metadata, which are remembered for an hour where they come from a URL. Raises a ProviderFailure. `wait`: as in Remembered. */
  read(provider: AskedUpstream, wait?: Wait): Promise<UpstreamMetadata>;
  /** Reads them again, at most once a minute, because a signature is by none of their keys. Undefined: there is nothing newer. */
  readAgain(provider: AskedUpstream, wait?: Wait): Promise<UpstreamMetadata | undefined>;
}

/** A provider whose metadata are read. */
export interface AskedUpstream {
  readonly id: string;
  readonly config: SamlProviderStored;
}

const maxAgeMs = 3_600_000;
const againMs = 60_000;
const failureMs = 5_000;
const maxRedirects = 3;
/** More are read again when they are needed. */
const maxEntries = 200;
/** Those of a provider alone have some ten thousand bytes. */
const maxBytes = 500_000;

/** Creates the source, which has read nothing yet. */
export function createUpstreamSource({
  clock,
  fetcher,
}: {
  readonly clock: Clock;
  readonly fetcher: ProviderFetch;
}): UpstreamSource {
  const remembered = createRemembered<UpstreamMetadata>({ clock, maxEntries });
  const keyOf = ({ id, config }: AskedUpstream) => JSON.stringify([id, config.metadataUrl, config.entityId]);
  const load = async ({ config }: AskedUpstream) => {
    const headers = {
      accept: "application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1",
    };
    const how = { ...providerLimits, maxBytes, maxRedirects, headers };
    const answer = await fetcher.get(config.metadataUrl, how);
    if (answer.kind !== "document") throw new ProviderFailure("unavailable", `metadata ${answer.kind}`);
    return toUsable(decode(answer.bytes), config.entityId);
  };
  return {
    async read(provider, wait) {
      const { metadataUrl, metadataXml, entityId } = provider.config;
      if (metadataUrl === "") return toUsable(metadataXml, entityId);
      return await remembered.get(keyOf(provider), { maxAgeMs, failureMs, load: () => load(provider), wait });
    },
    async readAgain(provider, wait) {
      if (provider.config.metadataUrl === "") return undefined;
      return await remembered.renew(keyOf(provider), { everyMs: againMs, load: () => load(provider), wait });
    },
  };
}

function decode(bytes: Uint8Array): string {
  try {
    return decodeXmlOrUtf16(bytes);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new ProviderFailure("unavailable", "metadata encoding");
  }
}

function toUsable(xml: string, entityId: string): UpstreamMetadata {
  const read = readUpstreamMetadata(xml, entityId);
  if ("fault" in read) throw new ProviderFailure("unavailable", "metadata unusable");
  return read;
}
