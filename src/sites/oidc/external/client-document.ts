import type { ExternalClientMetadata } from "../../../identity/applications/oidc/external-client.ts";
import { type MetadataRule, readClientMetadata, parseKeySet } from "./client-metadata.ts";

/** The guarded fetch as documents need it. */
export interface DocumentFetcher {
  get(
    url: string,
    options: {
      readonly timeoutMs: number;
      readonly maxBytes: number;
      readonly maxRedirects: number;
      readonly accept: string;
    },
  ): Promise<
    | { readonly kind: "document"; readonly bytes: Uint8Array; readonly cacheControl: string | undefined }
    | { readonly kind: "forbidden" | "refused" | "unreachable" }
  >;
  /** Says why the URL is forbidden as it is written, or returns undefined. Connects to nothing. */
  violationOf(url: string): string | undefined;
}

/** A document that describes a client. */
export interface ClientDocument {
  readonly metadata: ExternalClientMetadata;
  /** How long it holds. */
  readonly lifetimeMs: number;
}

/** The id of the client, the URL of the document, is all that is said of it by somebody else: there is no secret to share. */
const documentRule: Omit<MetadataRule, "defaultName"> = {
  defaultMethod: "none",
  methods: new Map([
    ["none", "NONE"],
    ["private_key_jwt", "PRIVATE_KEY_JWT"],
  ]),
  takesJwksUri: true,
};

const minLifetimeMs = 5 * 60_000;
const maxLifetimeMs = 24 * 3_600_000;
const limits = {
  timeoutMs: 5000,
  maxBytes: 5120,
  maxRedirects: 0, // a redirect would let one host speak for another
  accept: "application/json",
} as const;
const maxKeySetBytes = 65_536;

/**
 * Fetches the document of a client, and its keys if these are elsewhere (draft-ietf-oauth-client-id-metadata-document §3, §4.1). It must
 * name its own URL as `client_id`, and no shared secret.
 */
export async function fetchClientDocument(
  fetcher: DocumentFetcher,
  url: string,
): Promise<ClientDocument | "unusable" | "unreachable"> {
  const outcome = await fetcher.get(url, limits);
  if (outcome.kind !== "document") return outcome.kind === "unreachable" ? "unreachable" : "unusable";
  const members = parseObject(outcome.bytes);
  if (members?.["client_id"] !== url) return "unusable";
  if ("client_secret" in members || "client_secret_expires_at" in members) return "unusable";
  const metadata = readClientMetadata(members, { ...documentRule, defaultName: new URL(url).host });
  if ("code" in metadata) return "unusable";
  const { jwksUri } = metadata;
  if (jwksUri === undefined) return { metadata, lifetimeMs: lifetimeOf(outcome.cacheControl) };
  const keys = await fetchKeys(fetcher, jwksUri);
  return typeof keys === "string" ? keys : { metadata: { ...metadata, keys }, lifetimeMs: minLifetimeMs };
}

async function fetchKeys(
  fetcher: DocumentFetcher,
  url: string,
): Promise<ExternalClientMetadata["keys"] | "unusable" | "unreachable"> {
  const outcome = await fetcher.get(url, { ...limits, maxBytes: maxKeySetBytes });
  if (outcome.kind !== "document") return outcome.kind === "unreachable" ? "unreachable" : "unusable";
  return parseKeySet(parseObject(outcome.bytes)) ?? "unusable";
}

/** RFC 9111 §5.2.2: how long the answer says that it may be kept, but never shorter or longer than is good. */
function lifetimeOf(cacheControl = ""): number {
  const [, seconds] = /(?:^|[\s,])max-age="?(\d{1,9})"?(?:$|[\s,])/i.exec(cacheControl) ?? [];
  const isKept = !/(?:^|[\s,])no-(?:store|cache)(?:$|[\s,=])/i.test(cacheControl);
  const wishedMs = isKept && seconds !== undefined ? Number(seconds) * 1000 : 0;
  return Math.min(Math.max(wishedMs, minLifetimeMs), maxLifetimeMs);
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
