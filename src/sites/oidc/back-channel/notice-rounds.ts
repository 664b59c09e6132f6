import { findNextNoticeMs } from "../../../identity/protocol-state/logout-notices/repository.ts";
import { createRepeated, type OutboxRounds } from "../../../identity/outbox-sender.ts";
import { chooseNotices, type DueNotice } from "./choose-notices.ts";
import { claimNotices } from "./claim-notices.ts";
import { deliverNotice, type DeliveryPorts } from "./deliver-notice.ts";
import { createPlaces } from "./places.ts";

/** What the tries are made with. */
export interface NoticeRoundsSetup extends DeliveryPorts {
  /** Undefined when the service has none; then nothing is sent, and a line in the log says so once when something is due. */
  readonly issuer: () => string | undefined;
  /** Called with errors of the storage; the rounds go on. */
  readonly onError: (error: unknown) => void;
}

/** The pause after an error of the storage. */
const errorPauseMs = 5000;

/**
 * Creates the rounds in which applications are notified that sessions have ended; none has begun. At the end, tries that last
 * longer than `timeUp` are broken off: a later process makes them again.
 */
export function createNoticeRounds(setup: NoticeRoundsSetup): OutboxRounds {
  const { database, clock } = setup.context;
  const places = createPlaces();
  const findIssuer = createIssuerFinder(setup);
  const underWay = new Set<Promise<void>>();
  const breakOff = new AbortController();
  let isStopped = false;
  let after = "";
  let nextMs = Infinity;

  const isDue = () => nextMs <= clock.nowMs() && !places.isFull();
  const send = async ({ notice, application }: DueNotice, issuer: string): Promise<void> => {
    const release = places.take(application);
    try {
      const retryMs = await deliverNotice(setup, notice, { issuer, signal: breakOff.signal });
      nextMs = Math.min(nextMs, retryMs ?? Infinity);
    } catch (error) {
      if (!breakOff.signal.aborted) setup.onError(error);
    } finally {
      release();
    }
  };
  const begin = (due: DueNotice, issuer: string) => {
    const sending = send(due, issuer).then(() => {
      underWay.delete(sending);
      if (looks.isUnderWay() || isDue()) looks.begin(); // it may have waited for this place
    });
    underWay.add(sending);
  };
  const looks = createRepeated(async () => {
    try {
      const issuer = isStopped ? undefined : await findIssuer();
      if (issuer === undefined) return;
      nextMs = Infinity; // what tries find out meanwhile is kept
      let foundMs = await database.read(findNextNoticeMs);
      if (foundMs !== undefined && foundMs <= clock.nowMs()) {
        const asked = { after, nowMs: clock.nowMs(), places };
        const chosen = await database.read((tx) => chooseNotices(tx, asked));
        ({ last: after } = chosen);
        for (const due of await claimNotices(setup, chosen.due)) begin(due, issuer);
        foundMs = await database.read(findNextNoticeMs);
      }
      nextMs = Math.min(foundMs ?? Infinity, nextMs);
    } catch (error) {
      setup.onError(error);
      nextMs = clock.nowMs() + errorPauseMs;
    }
  });
  return {
    look: looks.begin,
    isDue,
    async stop(timeUp) {
      isStopped = true;
      await looks.ended();
      await endAll(underWay, { breakOff, timeUp });
    },
  };
}

/** Waits for all of these, and breaks them off when the time is up. */
async function endAll(
  underWay: Iterable<Promise<void>>,
  { breakOff, timeUp }: { readonly breakOff: AbortController; readonly timeUp: Promise<unknown> },
): Promise<void> {
  const all = Promise.all(underWay);
  await Promise.race([all, timeUp]);
  breakOff.abort();
  await all;
}

/** Makes what finds the issuer. If there is none, it logs once that notices are due and cannot be sent by this process. */
function createIssuerFinder({ issuer, context: { database, clock }, logger }: NoticeRoundsSetup) {
  let hasWarned = false;
  return async (): Promise<string | undefined> => {
    const found = issuer();
    if (found !== undefined || hasWarned) return found;
    hasWarned = ((await database.read(findNextNoticeMs)) ?? Infinity) <= clock.nowMs();
    if (hasWarned) logger.warn("logout_token.no_issuer");
    return undefined;
  };
}
