import type { Origin } from "../../../kernel/base/call.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, OrganizationId } from "../../../kernel/base/ids.ts";
import type { Leadership } from "../../../kernel/base/leadership.ts";
import type { FeatureContext } from "../../context.ts";
import { isBacklogged, postponeExcessRefreshes } from "./backlog-repository.ts";
import { nextRefresh } from "./metadata-schedule.ts";
import type { FetchedMetadata, MetadataSource } from "./metadata-source.ts";
import { isInForce } from "./saml-config.ts";
import { type DueRefresh, listDueRefreshes, putRefresh } from "./refresh-repository.ts";
import { findSamlApplication, isEntityIdTaken } from "./repository.ts";
import { refreshMetadata, type RefreshedMetadata, type SamlApplication } from "./saml-application.ts";

/**
 * Fetches metadata in the background: at growing intervals while its server cannot be reached, and daily once it is
 * in force. The schedule is in the database, so a restart loses nothing. Of all processes that serve the database only the
 * leader fetches.
 */
export interface MetadataRefresh {
  /** Starts looking for due fetches, at once and then every 15 s. */
  start(): void;
  /** Aborts running fetches and resolves when all have ended. */
  stop(): Promise<void>;
  /**
   * Makes all due fetches, taking organizations in turns, and returns their number: none if this process is not the leader.
   * Never rejects.
   */
  run(): Promise<number>;
}

/** Starts a timer; Node's own functions fit. */
export interface Timers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** What the background refresh works with. */
export interface MetadataRefreshSetup {
  readonly context: FeatureContext;
  readonly source: MetadataSource;
  readonly timers: Timers;
  readonly leadership: Leadership;
  /** Called with errors other than those of the fetches themselves; the refresh goes on. */
  readonly onError: (error: unknown, applicationId?: ApplicationId) => void;
}

const pollMs = 15_000;
/** Leaves an organization half of its fetches for calls. */
const maxPerOrganization = 5;
/**
 * Other organizations wait only when this many slow ones come together, and then for 5 s, the longest time of a
 * fetch.
 */
const maxAtOnce = 50;
/**
 * New refreshes are looked up only when this many can start at once, because the query sorts everything that is due.
 */
const minFreeSlots = 10;
const origin: Origin = { editor: "system", remoteAddress: undefined, requestId: "metadata-refresh" };

/** Creates the refresh, which does nothing until it is started. */
export function createMetadataRefresh(setup: MetadataRefreshSetup): MetadataRefresh {
  const stopping = new AbortController();
  let timer: unknown;
  let running: Promise<void> = Promise.resolve();
  const run = async () => {
    const term = setup.leadership.term();
    return term === undefined ? 0 : await runAll(setup, AbortSignal.any([stopping.signal, term]));
  };
  const loop = async () => {
    await run();
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

/** The fetches of one run that are in progress, and the results so far. */
interface Run {
  readonly underWay: Map<ApplicationId, Fetching>;
  done: number;
  /** How many fetches have ended, with any result. */
  ended: number;
  /** The database did not accept a result: what is due stays due, and the next look-up must wait. */
  isBroken: boolean;
}

interface Fetching {
  readonly organizationId: OrganizationId;
  readonly ended: Promise<void>;
}

/** Starts the next fetches whenever one has ended, so that a slow one delays only its own organization. */
async function runAll(setup: MetadataRefreshSetup, signal: AbortSignal): Promise<number> {
  const run: Run = { underWay: new Map(), done: 0, ended: 0, isBroken: false };
  for (;;) {
    const endedBefore = run.ended;
    const begun = await begin(setup, run, signal);
    // Fetches that ended during the query may have left places.
    if (begun === 0 && run.underWay.size === 0 && run.ended === endedBefore) return run.done;
    if (run.underWay.size > 0) await Promise.race(run.underWay.values().map(({ ended }) => ended));
  }
}

/** Returns the number of fetches that it started. */
async function begin(setup: MetadataRefreshSetup, run: Run, signal: AbortSignal): Promise<number> {
  const limit = maxAtOnce - run.underWay.size;
  if (signal.aborted || run.isBroken || limit < minFreeSlots) return 0;
  try {
    await reduceBacklog(setup);
    const next = await findNext(setup, run, limit);
    for (const due of next) {
      const { applicationId, organizationId } = due;
      const ended = refresh(setup, due, signal).then((isStored) => {
        run.underWay.delete(applicationId);
        run.ended++;
        if (isStored) run.done++;
        else run.isBroken = true;
      });
      run.underWay.set(applicationId, { organizationId, ended });
    }
    return next.length;
  } catch (error) {
    setup.onError(error);
    run.isBroken = true;
    return 0;
  }
}

/** Lets the query for due refreshes see other organizations beside one that has very many. */
async function reduceBacklog({ context }: MetadataRefreshSetup): Promise<void> {
  const { database, clock } = context;
  const nowMs = clock.nowMs();
  let postponed = 1;
  while (postponed > 0 && (await database.read((tx) => isBacklogged(tx, nowMs)))) {
    postponed = await database.write((tx) => postponeExcessRefreshes(tx, nowMs));
  }
}

/** Chooses the refreshes to begin, in turns of organizations, so that none has too many under way. */
async function findNext(
  { context }: MetadataRefreshSetup,
  { underWay }: Run,
  limit: number,
): Promise<readonly DueRefresh[]> {
  const free = new Map<OrganizationId, number>();
  const freeOf = (id: OrganizationId) => free.get(id) ?? maxPerOrganization;
  for (const { organizationId } of underWay.values()) free.set(organizationId, freeOf(organizationId) - 1);
  const due = await context.database.read((tx) =>
    listDueRefreshes(tx, {
      nowMs: context.clock.nowMs(),
      limit: maxAtOnce, // enough: what is under way keeps back as many as it is
      limitPerOrganization: maxPerOrganization,
      underWay: [...underWay.keys()],
    }),
  );
  const next = due.filter(({ organizationId }) => {
    const left = freeOf(organizationId);
    free.set(organizationId, left - 1);
    return left > 0;
  });
  return next.slice(0, limit);
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
    const application = await findAsking(tx, due);
    if (application === undefined) return;
    const nowMs = context.clock.nowMs();
    const next = nextRefresh(fetched.kind, { failures: due.failures, nowMs, random: context.random });
    const isFound = fetched.kind === "document" && isInForce(application.saml, fetched.metadata);
    await putRefresh(tx, applicationId, { ...next, fetchDate: isFound ? nowMs * 1000 : undefined });
    const refreshed = toRefreshed(fetched);
    if (refreshed === undefined) return;
    const isTaken =
      refreshed.kind === "document" &&
      (await isEntityIdTaken(tx, refreshed.metadata.entityId, applicationId));
    const events = refreshMetadata(application, refreshed, isTaken);
    if (events.length > 0) await context.log.append(tx, origin, events);
  });
}

/**
 * Keeps a result that cannot be stored from being fetched again and again before all others. Does nothing for an
 * application that has been removed in the meantime: a postponed refresh for it would stay forever.
 */
async function postpone({ context }: MetadataRefreshSetup, due: DueRefresh): Promise<void> {
  const state = { failures: due.failures, nowMs: context.clock.nowMs(), random: context.random };
  await context.database.write(async (tx) => {
    if ((await findAsking(tx, due)) === undefined) return;
    await putRefresh(tx, due.applicationId, nextRefresh("unreachable", state));
  });
}

/**
 * Returns the application if it still has this source of metadata: it may have been changed or removed during the
 * fetch.
 */
async function findAsking(tx: ReadTransaction, due: DueRefresh): Promise<SamlApplication | undefined> {
  const application = await findSamlApplication(tx, due.applicationId);
  return application?.saml.metadataUrl === due.metadataUrl ? application : undefined;
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
