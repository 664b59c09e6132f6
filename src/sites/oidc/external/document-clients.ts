import type { FeatureContext } from "../../../identity/context.ts";
import { isHostAllowed, noExternalClients } from "../../../identity/applications/external/settings.ts";
import { isExternalClientThere } from "../../../identity/external-clients/repository.ts";
import { findExternalClientSettings } from "../../../identity/applications/external/repository.ts";
import { takeUpDocument } from "../../../identity/external-clients/take-up.ts";
import { createFetchLimits } from "./fetch-limits.ts";
import { type ClientDocument, type DocumentFetcher, fetchClientDocument } from "./client-document.ts";

/**
 * What came of looking for the document of a client id: it is known as it is now, or the id names none; the document is no good or not
 * there; its host does not answer; or too much is fetched at the moment.
 */
export type DocumentOutcome = "known" | "unusable" | "unreachable" | "busy";

/** Keeps what documents say of clients that nobody has created. */
export interface DocumentClients {
  /**
   * Fetches the document at the client id, if it is one, unless what is known of it still holds, and takes the client up as the document
   * describes it. Anything else than a known client must not be served.
   */
  keep(clientId: string, remoteAddress: string | undefined): Promise<DocumentOutcome>;
}

interface Known {
  readonly outcome: DocumentOutcome;
  readonly endMs: number;
}

const failureMs = 60_000;
const maxKnown = 10_000;
/** As long as an id may be. */
const maxIdLength = 200;

/** Creates the keeper, of which there is one for a process: it remembers what was fetched, and how much. */
export function createDocumentClients(ports: {
  readonly context: Pick<FeatureContext, "database" | "clock" | "log">;
  readonly fetcher: DocumentFetcher;
}): DocumentClients {
  const { context, fetcher } = ports;
  const { database, clock } = context;
  const limits = createFetchLimits();
  const known = new Map<string, Known>();
  const underWay = new Map<string, Promise<DocumentOutcome>>();
  const remember = (key: string, outcome: DocumentOutcome, lifetimeMs: number) => {
    if (known.size >= maxKnown) known.clear();
    known.set(key, { outcome, endMs: clock.nowMs() + lifetimeMs });
  };
  const fetchNow = async (url: URL, remoteAddress: string | undefined): Promise<DocumentOutcome> => {
    const wanted = { remoteAddress, host: url.host, nowMs: clock.nowMs() };
    const found = await limits.enter(wanted, () => fetchClientDocument(fetcher, url.href));
    if (found === "busy") return "busy";
    if (typeof found === "string") {
      remember(url.href, found, failureMs);
      if (found === "unreachable") remember(url.host, found, failureMs);
      return found;
    }
    return await takeUp(found, url);
  };
  const takeUp = async ({ metadata, lifetimeMs }: ClientDocument, url: URL): Promise<DocumentOutcome> => {
    const isTaken = await takeUpDocument(context, { clientId: url.href, metadata });
    const outcome = isTaken ? "known" : "unusable";
    remember(url.href, outcome, isTaken ? lifetimeMs : failureMs);
    return outcome;
  };
  return {
    async keep(clientId, remoteAddress) {
      const url = toDocumentUrl(clientId);
      if (url === undefined) return "known";
      const { settings, isThere } = await database.read(async (tx) => {
        const found = await findExternalClientSettings(tx);
        const { projectId } = found ?? noExternalClients;
        return { settings: found, isThere: await isExternalClientThere(tx, { url: url.href, projectId }) };
      });
      if (settings?.kinds.includes("METADATA_DOCUMENT") !== true) return "unusable";
      if (!isHostAllowed(settings, url.hostname) || fetcher.violationOf(url.href) !== undefined)
        return "unusable";
      const nowMs = clock.nowMs();
      for (const key of [url.href, url.host]) {
        const found = known.get(key);
        const isLeft = found?.outcome !== "known" || isThere; // somebody may have removed it
        if (found !== undefined && nowMs < found.endMs && isLeft) return found.outcome;
      }
      const fetching = underWay.get(url.href) ?? fetchNow(url, remoteAddress);
      underWay.set(url.href, fetching);
      try {
        return await fetching;
      } finally {
        underWay.delete(url.href);
      }
    },
  };
}

/** A URL with a path, as the URL Standard writes it, so without dot segments; the rules of fetching say which are taken. */
function toDocumentUrl(clientId: string): URL | undefined {
  const url = /^https?:\/\//i.test(clientId) && clientId.length <= maxIdLength ? URL.parse(clientId) : null;
  if (url === null || url.href !== clientId || url.pathname === "/" || clientId.includes("#"))
    return undefined;
  return url.username === "" && url.password === "" ? url : undefined;
}
