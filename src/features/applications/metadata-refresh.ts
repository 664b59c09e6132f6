import type { Origin } from "../../base/call.ts";
import type { ApplicationId } from "../../base/ids.ts";
import type { FeatureContext } from "../context.ts";
import { refreshMetadata, type RefreshedMetadata } from "./application.ts";
import { nextRefresh } from "./metadata-schedule.ts";
import type { FetchedMetadata, MetadataSource } from "./metadata-source.ts";
import {
  type DueRefresh,
  findApplicationById,
  isEntityIdTaken,
  listDueRefreshes,
  putRefresh,
} from "./repository.ts";

/**
 * Fetches in the background what could not be reached, with growing pauses, and what is in force, daily. What is due is
 * in the database, so a restart loses nothing.
 */
export interface MetadataRefresh {
  /** Begins to look for what is due, at once and then every 15 s. */
  start(): void;
  /** Breaks off fetches under way and resolves when nothing of it runs any more. */
  stop(): Promise<void>;
  /** Fetches what is due now, up to a bound, and returns how much that was. Never rejects. */
  run(): Promise<number>;
}

/** What starts a timer; those of Node fit. */
export interface Timers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface MetadataRefreshSetup {
  readonly context: FeatureContext;
  readonly source: MetadataSource;
  readonly timers: Timers;
  /** Is told what went wrong beside the fetches themselves; the refresh goes on. */
  readonly onError: (error: unknown, applicationId?: ApplicationId) => void;
}

const pollMs = 15_000;
/** Leaves an organization half of its fetches for calls. */
const batchSize = 5;
const origin: Origin = { editor: "system", remoteAddress: undefined, requestId: "metadata-refresh" };

export function createMetadataRefresh(setup: MetadataRefreshSetup): MetadataRefresh {
  const stopping = new AbortController();
  let timer: unknown;
  let running: Promise<void> = Promise.resolve();
  const run = () => runBatch(setup, stopping.signal);
  const loop = async () => {
    while (!stopping.signal.aborted && (await run()) === batchSize);
    if (!stopping.signal.aborted) schedule(pollMs);
  };
  const schedule = (ms: number) => {
    timer = setup.timers.setTimeout(() => {
      running = loop();
    }, ms);
  };
  return {
    start: () => schedule(0),
    async stop() {
      stopping.abort();
      setup.timers.clearTimeout(timer);
      await running;
    },
    run,
  };
}

/** Returns how many were due, but 0 when the database did not take a result: the next look must then wait. */
async function runBatch(setup: MetadataRefreshSetup, signal: AbortSignal): Promise<number> {
  const { context, onError } = setup;
  try {
    const nowMs = context.clock.nowMs();
    const due = await context.database.read((tx) => listDueRefreshes(tx, nowMs, batchSize));
    const stored = await Promise.all(due.map((each) => refresh(setup, each, signal)));
    return stored.includes(false) ? 0 : due.length;
  } catch (error) {
    onError(error);
    return 0;
  }
}

/** Says whether the next fetch is in the database. */
async function refresh(setup: MetadataRefreshSetup, due: DueRefresh, signal: AbortSignal): Promise<boolean> {
  const { applicationId } = due;
  const fetched = await fetch(setup, due, signal);
  if (signal.aborted) return false; // what was broken off says nothing about the server
  try {
    await store(setup, due, fetched);
    return true;
  } catch (error) {
    setup.onError(error, applicationId);
  }
  try {
    await postpone(setup, due);
    return true;
  } catch (error) {
    setup.onError(error, applicationId);
    return false;
  }
}

async function fetch(
  { source, onError }: MetadataRefreshSetup,
  due: DueRefresh,
  signal: AbortSignal,
): Promise<FetchedMetadata> {
  try {
    return await source.fetch({ organizationId: due.organizationId, url: due.metadataUrl, signal });
  } catch (error) {
    if (!signal.aborted) onError(error, due.applicationId);
    return { kind: "unreachable" };
  }
}

async function store(
  { context }: MetadataRefreshSetup,
  due: DueRefresh,
  fetched: FetchedMetadata,
): Promise<void> {
  const { applicationId } = due;
  await context.database.write(async (tx) => {
    const application = await findApplicationById(tx, applicationId);
    const isStillAsked = application?.saml.metadataUrl === due.metadataUrl; // it may have changed during the fetch
    if (!isStillAsked) return;
    const nowMs = context.clock.nowMs();
    const next = nextRefresh(fetched.kind, { failures: due.failures, nowMs, random: context.random });
    await putRefresh(tx, applicationId, next);
    const refreshed = toRefreshed(fetched);
    if (refreshed === undefined) return;
    const isTaken =
      refreshed.kind === "document" &&
      (await isEntityIdTaken(tx, refreshed.metadata.entityId, applicationId));
    const events = refreshMetadata(application, refreshed, isTaken);
    if (events.length > 0) await context.log.append(tx, origin, events);
  });
}

/** Keeps one result that cannot be stored from being fetched again and again before all others. */
async function postpone({ context }: MetadataRefreshSetup, due: DueRefresh): Promise<void> {
  const state = { failures: due.failures, nowMs: context.clock.nowMs(), random: context.random };
  await context.database.write((tx) => putRefresh(tx, due.applicationId, nextRefresh("unreachable", state)));
}

function toRefreshed(fetched: FetchedMetadata): RefreshedMetadata | undefined {
  switch (fetched.kind) {
    case "busy":
      return undefined;
    case "unusable":
      return { kind: "unusable", reason: fetched.problem.reason };
    case "document":
    case "unreachable":
      return fetched;
  }
}
