import type { MailProvider } from "../../kernel/base/message-providers.ts";
import type { FeatureContext } from "../context.ts";
import { createRepeated, type OutboxRounds } from "../outbox-sender.ts";
import type { FailedMessage } from "../people/messages/commands.ts";
import { claimDue, makeNoticeMail, settleFailed } from "./commands.ts";
import { findNextSecurityNoticeMs, listDueAddressees, removeClaimedNotices } from "./repository.ts";
import { type ClaimedNotices, mayStillSend } from "./security-notice.ts";

/** What notices are sent with. */
export interface SecurityNoticeSetup {
  readonly context: Pick<FeatureContext, "database" | "clock" | "log" | "keyring">;
  readonly provider: MailProvider;
  /** Maximum number of these mails to users of one organization in 24 hours. */
  readonly maxPerOrganization: number;
  /** Returns where users of an organization look after their account; undefined: nowhere. */
  readonly linkOf: (organizationId: string) => string | undefined;
  /** Returns where images of a branding are; absent: nowhere. */
  readonly issuer?: () => string | undefined;
  /** Called for each try that has failed. */
  readonly onFailure: (failure: FailedMessage) => void;
  /** Called with errors of the storage; the rounds go on. */
  readonly onError: (error: unknown) => void;
}

/** So many mails are under way at once in a process, besides those with codes. */
const maxAtOnce = 8;

/** The pause after an error of the storage. */
const errorPauseMs = 5000;

/**
 * Creates the rounds in which users are notified of changes; none has begun. At the end it does not wait for a mail beyond
 * `timeUp`: a later process sends it again, as after a process that was killed.
 */
export function createSecurityRounds(setup: SecurityNoticeSetup): OutboxRounds {
  const { context, maxPerOrganization, onError } = setup;
  const { database, clock } = context;
  const underWay = new Set<Promise<void>>();
  let isStopped = false;
  let isOver = false;
  let nextMs = Infinity;

  const isFull = () => underWay.size >= maxAtOnce;
  const isDue = () => nextMs <= clock.nowMs() && !isFull();
  const report = (error: unknown) => {
    if (!isOver) onError(error); // afterwards the database is closed
  };
  const begin = (claimed: ClaimedNotices) => {
    const sending = deliver(setup, claimed)
      .then((retryMs = Infinity) => {
        nextMs = Math.min(nextMs, retryMs);
      }, report)
      .then(() => {
        underWay.delete(sending);
        if (looks.isUnderWay() || isDue()) looks.begin(); // it may have waited for this place
      });
    underWay.add(sending);
  };
  const looks = createRepeated(async () => {
    if (isStopped) return;
    try {
      nextMs = Infinity; // what tries find out meanwhile is kept
      let foundMs = await database.read(findNextSecurityNoticeMs);
      if (foundMs !== undefined && foundMs <= clock.nowMs()) {
        if (!isFull()) for (const claimed of await claimNext()) begin(claimed);
        foundMs = await database.read(findNextSecurityNoticeMs);
      }
      nextMs = Math.min(foundMs ?? Infinity, nextMs);
    } catch (error) {
      onError(error);
      nextMs = clock.nowMs() + errorPauseMs;
    }
  });
  const claimNext = async () => {
    const asked = { nowMs: clock.nowMs(), limit: maxAtOnce - underWay.size };
    const addressees = await database.read((tx) => listDueAddressees(tx, asked));
    const { claimed, lost } = await database.write((tx) =>
      claimDue(tx, context, { addressees, maxPerOrganization }),
    );
    for (const { userId } of lost) setup.onFailure(toFailure(userId, "the process has ended"));
    return claimed;
  };
  return {
    look: looks.begin,
    isDue,
    async stop(timeUp) {
      isStopped = true;
      await looks.ended();
      await Promise.race([Promise.all(underWay), timeUp]);
      isOver = true;
    },
  };
}

/** Makes a try, and stores what follows. Returns the instant of the next one, if there is one. */
async function deliver(setup: SecurityNoticeSetup, claimed: ClaimedNotices): Promise<number | undefined> {
  const { context, provider, linkOf, issuer, onFailure } = setup;
  const { database, clock } = context;
  const mail = await database.read((tx) =>
    makeNoticeMail(tx, context, { claimed, linkOf, issuer: issuer?.() }),
  );
  try {
    if (mail !== undefined) {
      // A process that was held up for so long must not send beside the one that has taken the notices over.
      if (!mayStillSend(claimed, clock.nowMs())) throw new Error("held up");
      await provider.send(mail);
    }
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    onFailure(toFailure(claimed.userId, text.replaceAll(claimed.email, "[address]")));
    return await database.write((tx) => settleFailed(tx, context, claimed));
  }
  await database.write((tx) => removeClaimedNotices(tx, claimed));
  return undefined;
}

function toFailure(userId: string, detail: string): FailedMessage {
  return { userId, requestId: "security-notices", detail };
}
