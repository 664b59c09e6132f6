import { asTrusted, readMailBrand, wearBrand } from "../branding/mail-brand.ts";
import type { Origin } from "../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { MailMessage } from "../../kernel/base/message-providers.ts";
import { Problem } from "../../kernel/base/problem.ts";
import type { LoggedEvent } from "../../kernel/events/event.ts";
import type { FeatureContext } from "../context.ts";
import { languageOf } from "../texts/languages.ts";
import { readLanguage } from "../texts/repository.ts";
import { countIn } from "../people/messages/commands.ts";
import { failDelivery } from "../people/messages/message.ts";
import { findUserById } from "../people/user/repository.ts";
import { fullNameOf, type HumanUser } from "../people/user/user.ts";
import { type ChangedBy, toNoticeMail } from "./notice-mail.ts";
import {
  claimSecurityNotices,
  findFewestTries,
  giveBackNotices,
  postponeClaimedNotices,
  removeClaimedNotices,
  removeNoticesOf,
  removeSpentNotices,
} from "./repository.ts";
import {
  type Addressee,
  type ClaimedNotices,
  noticeClaimMs,
  noticeTries,
  pauseAfter,
} from "./security-notice.ts";

const origin: Origin = { editor: "system", remoteAddress: undefined, requestId: "security-notices" };

/**
 * Claims what is due for these addressees, for one mail to each, in the write of the caller, which records nothing else. A mail counts
 * like others, but apart from them, and for its user alone, so that nobody else can use up what an address may get: if it is one too
 * many, its notices wait, and go out in one mail later. Notices are given up whose last try has died with its process.
 */
export async function claimDue(
  tx: WriteTransaction,
  context: Pick<FeatureContext, "keyring" | "clock" | "log">,
  asked: { readonly addressees: readonly Addressee[]; readonly maxPerOrganization: number },
): Promise<{ readonly claimed: readonly ClaimedNotices[]; readonly lost: readonly Addressee[] }> {
  const nowMs = context.clock.nowMs();
  const claimed: ClaimedNotices[] = [];
  const lost: Addressee[] = [];
  const failed: HumanUser[] = [];
  for (const addressee of asked.addressees) {
    const user = await findUserById(tx, addressee.userId);
    if (user?.kind !== "human") {
      await removeNoticesOf(tx, addressee.userId); // of a removed organization, whose rows go anyway
      continue;
    }
    if ((await removeSpentNotices(tx, addressee, nowMs)) > 0) {
      lost.push(addressee);
      failed.push(user);
    }
    const claim = await claimSecurityNotices(tx, addressee, { nowMs, untilMs: nowMs + noticeClaimMs });
    if (claim === undefined) continue;
    const nextMs = await count(tx, context, { ...asked, user, email: addressee.email });
    if (nextMs === undefined) claimed.push(claim);
    else await giveBackNotices(tx, claim, nextMs);
  }
  const events = failed.map((user) => failDelivery(user, failure));
  if (events.length > 0) await context.log.append(tx, origin, events);
  return { claimed, lost };
}

/** What is recorded of a notice that is given up. */
const failure = { channel: "notice-mail", purpose: "security_notice" } as const;

/** Counts a mail. Returns the instant from which on it may be sent if it is one too many now. */
async function count(
  tx: WriteTransaction,
  context: Pick<FeatureContext, "keyring" | "clock">,
  {
    user,
    email,
    maxPerOrganization,
  }: { readonly user: HumanUser; readonly email: string; readonly maxPerOrganization: number },
): Promise<number | undefined> {
  try {
    const address = `${user.id} ${email.toLowerCase()}`;
    await countIn(tx, context, { channel: "notice-mail", maxPerOrganization, user, address });
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem) || error.retryAfterMs === undefined) throw error;
    return context.clock.nowMs() + error.retryAfterMs;
  }
}

/** Makes the mail of claimed notices from the log. Undefined: the user is gone. `linkOf` is as in the rounds. */
export async function makeNoticeMail(
  tx: ReadTransaction,
  { log }: Pick<FeatureContext, "log">,
  {
    claimed,
    linkOf,
    issuer,
  }: {
    readonly claimed: ClaimedNotices;
    /** Undefined: mails have no images. */
    readonly issuer: string | undefined;
    readonly linkOf: (organizationId: string) => string | undefined;
  },
): Promise<MailMessage | undefined> {
  const user = await findUserById(tx, claimed.userId);
  if (user?.kind !== "human") return undefined;
  const sequences = claimed.notices.map(({ sequence }) => sequence);
  const events = new Map((await log.read(tx, sequences)).map((event) => [event.sequence, event]));
  const changes = [];
  for (const { sequence, change } of claimed.notices) {
    const event = events.get(sequence);
    const by: ChangedBy = event === undefined ? { kind: "service" } : await findChangedBy(tx, event);
    changes.push({ change, dateMs: Math.floor(sequence / 1000), by });
  }
  const accountLink = linkOf(user.details.resourceOwner);
  const content = { changes, more: claimed.more, accountLink };
  // A try that is repeated tells of the same changes, and of later ones: then it is another mail.
  const id = `security-notice-${sequences[0]}-${sequences.length + claimed.more}`;
  const language = await readLanguage(tx, languageOf(user), undefined); // only the instance changes these
  const look = await readMailBrand(tx, user.details.resourceOwner, issuer);
  const mail = wearBrand(toNoticeMail(language, content), look && asTrusted(look), language);
  return { id, to: claimed.email, ...mail };
}

/** The address of an administrator is not for the user to know. */
async function findChangedBy(tx: ReadTransaction, event: LoggedEvent): Promise<ChangedBy> {
  const { editor, aggregateId, remoteAddress } = event;
  if (editor === aggregateId) return { kind: "account", remoteAddress };
  if (editor === "system") return { kind: "service" };
  const found = await findUserById(tx, editor);
  return {
    kind: "administrator",
    name: found?.kind === "human" ? fullNameOf(found) : found?.name,
  };
}

/**
 * Stores that the mail of claimed notices did not go out. Returns the instant of the next try; undefined: there is none, and the log has
 * an event of it.
 */
export async function settleFailed(
  tx: WriteTransaction,
  { clock, log }: Pick<FeatureContext, "clock" | "log">,
  claimed: ClaimedNotices,
): Promise<number | undefined> {
  const tries = await findFewestTries(tx, claimed);
  if (tries === undefined) return undefined;
  if (tries < noticeTries) {
    const nextMs = clock.nowMs() + pauseAfter(tries);
    await postponeClaimedNotices(tx, claimed, nextMs);
    return nextMs;
  }
  await removeClaimedNotices(tx, claimed);
  const user = await findUserById(tx, claimed.userId);
  if (user !== undefined) await log.append(tx, origin, [failDelivery(user, failure)]);
  return undefined;
}
