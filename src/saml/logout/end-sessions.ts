import type { WriteTransaction } from "../../base/database.ts";
import type { ApplicationId, UserId } from "../../base/ids.ts";
import type { FeatureContext } from "../../features/context.ts";
import { findParticipations, listNamesOfSessions } from "../../features/saml-participations/repository.ts";
import { hashNameId, type SamlParticipation } from "../../features/saml-participations/saml-participation.ts";
import { findSession, findSessionValueHash } from "../../features/sessions/repository.ts";
import { terminateSession, type UserSession } from "../../features/sessions/session.ts";
import type { Exchange } from "../../http/exchanges/exchange.ts";
import type { SessionMembers } from "./chain.ts";
import { listMembers } from "./list-members.ts";

/** What a LogoutRequest names (SAML Core §3.7.1). */
export interface NamedSessions {
  readonly applicationId: ApplicationId;
  /** The value of the NameID. */
  readonly nameId: string;
  /** Empty: all sessions of the user who has the name. */
  readonly sessionIndexes: readonly string[];
}

/** The sessions that a LogoutRequest has ended. */
export interface EndedSessions {
  readonly userId: UserId;
  /** SHA-256 of the values that browsers had for them. */
  readonly valueHashes: ReadonlySet<string>;
  /** Who else took part in them, for each session that a browser had. */
  readonly unproved: readonly SessionMembers[];
  /** Whether others took part who cannot be told. */
  readonly isPartial: boolean;
}

/**
 * Ends the sessions in which the application took part under that name of the user (SAML Profiles §4.4.3.2), whatever browser has them.
 * A name such as an e-mail address may have passed from one user to another. Without an index, it is that of the user for whom the
 * application got it last; an index names a session in which it was given. A session that was over before counts as ended.
 * Undefined: the name or the index is of no session.
 */
export async function endSessions(
  tx: WriteTransaction,
  context: Pick<FeatureContext, "log" | "keyring">,
  asked: { readonly exchange: Exchange; readonly named: NamedSessions },
): Promise<EndedSessions | undefined> {
  const { applicationId, nameId, sessionIndexes } = asked.named;
  const nameIdHash = hashNameId(nameId);
  const named = await findParticipations(tx, { applicationId, nameIdHash, sessionIndexes });
  const [latest] = named;
  if (latest === undefined) return undefined;
  const own = sessionIndexes.length > 0 ? named : named.filter(({ userId }) => userId === latest.userId);
  const all = await listNamesOfSessions(
    tx,
    own.map(({ sessionId }) => sessionId),
  );
  const others = Map.groupBy(
    all.filter((each) => each.applicationId !== applicationId),
    ({ sessionId }) => sessionId,
  );
  const active = await listActive(tx, own);
  const unproved: SessionMembers[] = [];
  let told = 0;
  let isPartial = false;
  for (const { session, valueHash } of active) {
    const { members, isPartial: isShort } = listMembers(context.keyring, others.get(session.id) ?? []);
    if (isShort) isPartial = true;
    if (members.length === 0) continue;
    // The indexes may be of sessions of several users, but the logout that goes on is removed with one.
    const isOfUser = session.userId === latest.userId;
    if (valueHash === undefined || !isOfUser || unproved.length === maxSessions) continue;
    unproved.push({ valueHash, members });
    told++;
  }
  await terminate(tx, context, { exchange: asked.exchange, sessions: active.map(({ session }) => session) });
  const valueHashes = new Set(active.flatMap(({ valueHash = [] }) => valueHash));
  return { userId: latest.userId, valueHashes, unproved, isPartial: isPartial || told < others.size };
}

/** Of so many sessions the applications are remembered until the browser has said which of them it has: the latest ones. */
const maxSessions = 50;

interface ActiveSession {
  readonly session: UserSession;
  readonly valueHash: string | undefined;
}

async function listActive(
  tx: WriteTransaction,
  participations: readonly SamlParticipation[],
): Promise<readonly ActiveSession[]> {
  const active: ActiveSession[] = [];
  for (const { sessionId } of participations) {
    const session = await findSession(tx, sessionId);
    if (session?.state !== "ACTIVE") continue;
    active.push({ session, valueHash: await findSessionValueHash(tx, sessionId) });
  }
  return active;
}

/** Records who has left: each user what is theirs. */
async function terminate(
  tx: WriteTransaction,
  { log }: Pick<FeatureContext, "log">,
  { exchange, sessions }: { readonly exchange: Exchange; readonly sessions: readonly UserSession[] },
): Promise<void> {
  const { remoteAddress, requestId } = exchange;
  for (const [editor, ofUser] of Map.groupBy(sessions, ({ userId }) => userId)) {
    const events = ofUser.map((session) => terminateSession(session, "saml_logout"));
    await log.append(tx, { editor, remoteAddress, requestId }, events);
  }
}
