import { createFetchRoom, maxFetchMs } from "../application/fetch-room.ts";
import type { MetadataFetcher } from "../saml/metadata-source.ts";
import { metadataUrlOf, toResourceKey } from "./api-resource.ts";

/** Asks resources whether we issue tokens for them. One for the process, because it counts the fetches in progress. */
export interface ResourceSource {
  /** The issuer of this service; undefined: there is none. */
  issuer(): string | undefined;
  /**
   * Says whether the metadata of the resource (RFC 9728) name our issuer. False for whatever does not come. Busy: the organization has
   * too many fetches in progress.
   */
  namesIssuer(asked: {
    readonly organizationId: string;
    readonly resource: string;
    readonly timeoutMs?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<boolean | "busy">;
}

/** Asks nobody: no resource names an issuer. */
export const noResourceSource: ResourceSource = { issuer: () => undefined, namesIssuer: async () => false };

const maxBytes = 65_536;

/** Creates the source. A redirect is not followed: it would let others speak for the resource. */
export function createResourceSource({
  fetcher,
  issuer,
}: {
  readonly fetcher: MetadataFetcher;
  readonly issuer: () => string | undefined;
}): ResourceSource {
  const room = createFetchRoom();
  return {
    issuer,
    async namesIssuer({ organizationId, resource, timeoutMs = maxFetchMs, signal }) {
      const known = issuer();
      const url = metadataUrlOf(resource);
      if (known === undefined || url === undefined || fetcher.violationOf(url) !== undefined) return false;
      return await room.enter(organizationId, async () => {
        const outcome = await fetcher.get(url, {
          timeoutMs: Math.max(1, Math.ceil(Math.min(timeoutMs, maxFetchMs))),
          maxBytes,
          maxRedirects: 0,
          accept: "application/json",
          signal,
        });
        return outcome.kind === "document" && areMetadataOf(outcome.bytes, { resource, issuer: known });
      });
    },
  };
}

/** RFC 9728 §3.3: metadata that are of another resource must not be used. */
function areMetadataOf(
  bytes: Uint8Array,
  { resource, issuer }: { readonly resource: string; readonly issuer: string },
): boolean {
  const metadata = parseObject(bytes);
  const named = metadata?.["resource"];
  const servers: unknown = metadata?.["authorization_servers"];
  if (typeof named !== "string" || toResourceKey(named) !== toResourceKey(resource)) return false;
  return (
    Array.isArray(servers) &&
    servers.some((server) => typeof server === "string" && toResourceKey(server) === toResourceKey(issuer))
  );
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
