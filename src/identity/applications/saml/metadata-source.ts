import type { Clock } from "../../../kernel/base/clock.ts";
import { Problem, urlForbidden } from "../../../kernel/base/problem.ts";
import type { Reason } from "../../../kernel/base/reason.ts";
import { createFetchRoom, maxFetchMs } from "../application/fetch-room.ts";
import { isUtf16 } from "../../../kernel/xml/encoding.ts";
import { parseSamlMetadata, type SamlMetadata } from "./metadata.ts";

/**
 * The guarded fetch as this feature needs it: it returns the document of a URL and never connects to a forbidden
 * address.
 */
export interface MetadataFetcher {
  /** Rejects only with the reason of `signal` when that is aborted, never because of the remote side. */
  get(url: string, options: FetchOptions): Promise<FetchOutcome>;
  /** Gives the reason why the URL is forbidden as it is written, or undefined. Connects to nothing. */
  violationOf(url: string): string | undefined;
}

/** The limits of one fetch. `timeoutMs` is for all redirects together. */
export interface FetchOptions {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects: number;
  /** The types of documents that are asked for. */
  readonly accept: string;
  readonly signal?: AbortSignal | undefined;
}

/** The messages follow the name of the field and are for the caller. */
export type FetchOutcome =
  | { readonly kind: "document"; readonly bytes: Uint8Array }
  /** The URL, or one that it redirects to, is forbidden. */
  | { readonly kind: "forbidden"; readonly message: string }
  /** The server answers with something other than a document, and a retry does not help. */
  | { readonly kind: "refused"; readonly cause: "status" | "redirects" | "size"; readonly message: string }
  /**
   * No connection, an unknown name, a name with a forbidden address, a timeout, or a status for which a retry may
   * help.
   */
  | { readonly kind: "unreachable" };

/** The result of fetching the metadata of an application. */
export type FetchedMetadata =
  | { readonly kind: "document"; readonly metadata: SamlMetadata }
  | { readonly kind: "unusable"; readonly problem: Problem }
  | { readonly kind: "unreachable" }
  /** The organization has reached its limit of fetches in progress; nothing was fetched. */
  | { readonly kind: "busy" };

/** Reads SAML metadata from documents and URLs. One for the process, because it counts the fetches in progress. */
export interface MetadataSource {
  /** Reads a document that was sent. Raises SAML_METADATA_*. */
  parse(bytes: Uint8Array): SamlMetadata;
  /** Refuses a URL that is forbidden as written; any other is fetched later. */
  postpone(url: string): FetchedMetadata;
  fetch(request: {
    readonly organizationId: string;
    readonly url: string;
    /** Shortens the time that the fetch may take, 5 s. */
    readonly timeoutMs?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<FetchedMetadata>;
}

const maxBytes = 500_000;
const maxRedirects = 3;
/** SAML Metadata §4.1.1 has the first; servers that choose by the header may know the second only. */
const accept = "application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1";

/** Creates the source. It counts the fetches under way of each organization, so there is one for a service. */
export function createMetadataSource(setup: {
  readonly fetcher: MetadataFetcher;
  readonly clock: Clock;
  /** Allows http on loopback addresses. */
  readonly dev: boolean;
}): MetadataSource {
  const { fetcher, clock, dev } = setup;
  const room = createFetchRoom();
  const parse = (bytes: Uint8Array, field: string): SamlMetadata => {
    const metadata = parseSamlMetadata(bytes, { nowMs: clock.nowMs(), dev, field });
    // As it came, with its byte order mark, unless it was decoded from UTF-16.
    return isUtf16(bytes) ? metadata : { ...metadata, xml: Buffer.from(bytes).toString("utf8") };
  };
  return {
    parse: (bytes) => parse(bytes, "metadata_xml"),
    postpone(url) {
      const message = fetcher.violationOf(url);
      return message === undefined ? { kind: "unreachable" } : forbidden(message);
    },
    async fetch({ organizationId, url, timeoutMs = maxFetchMs, signal }) {
      const wholeMs = Math.max(1, Math.ceil(Math.min(timeoutMs, maxFetchMs)));
      const options = { timeoutMs: wholeMs, maxBytes, maxRedirects, accept, signal };
      const fetched = await room.enter(organizationId, () => fetcher.get(url, options));
      return fetched === "busy"
        ? { kind: "busy" }
        : toFetched(fetched, (bytes) => parse(bytes, "metadata_url"));
    },
  };
}

function toFetched(outcome: FetchOutcome, parse: (bytes: Uint8Array) => SamlMetadata): FetchedMetadata {
  switch (outcome.kind) {
    case "document":
      return parsed(() => parse(outcome.bytes));
    case "unreachable":
      return { kind: "unreachable" };
    case "forbidden":
      return forbidden(outcome.message);
    case "refused":
      return unusable(refusals[outcome.cause], outcome.message);
  }
}

const refusals = {
  status: "SAML_METADATA_UNREACHABLE",
  redirects: "SAML_METADATA_UNREACHABLE",
  size: "SAML_METADATA_TOO_LARGE",
} as const satisfies Record<string, Reason>;

function forbidden(message: string): FetchedMetadata {
  return { kind: "unusable", problem: urlForbidden("metadata_url", message) };
}

function unusable(reason: Reason, message: string): FetchedMetadata {
  return { kind: "unusable", problem: invalid(reason, "metadata_url", message) };
}

function parsed(parse: () => SamlMetadata): FetchedMetadata {
  try {
    return { kind: "document", metadata: parse() };
  } catch (error) {
    if (error instanceof Problem) return { kind: "unusable", problem: error };
    throw error;
  }
}

function invalid(reason: Reason, field: string, description: string): Problem {
  return new Problem({
    kind: "invalid",
    reason,
    message: `${field}: ${description}`,
    violations: [{ field, description }],
  });
}
