import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, UserId } from "../../../kernel/base/ids.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import {
  findParticipations,
  listNamesOfSessions,
  maxFoundParticipations,
} from "../../../identity/logins/saml-participations/repository.ts";
import {
  hashNameId,
  type SamlParticipation,
} from "../../../identity/logins/saml-participations/saml-participation.ts";
import { findSession, findSessionValueHash } from "../../../identity/logins/sessions/repository.ts";
import { terminateSession, type UserSession } from "../../../identity/logins/sessions/session.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { SessionMembers } from "./chain.ts";
import { listMembers } from "./list-members.ts";

/** What a LogoutRequest names (SAML Core §3.7.1). */
export interface NamedSessions {
  readonly applicationId: ApplicationId;
  /** The value of the NameID. */
  readonly nameId: string;
  /** Empty: all sessions in which the application got the name. */
  readonly sessionIndexes: readonly string[];
}

/** The sessions that a LogoutRequest has ended. */
export interface EndedSessions {
  /** The user whose applications may be visited: a name may be of several users. */
  readonly userId: UserId;
  /** SHA-256 of the values that browsers had for them. */
  readonly valueHashes: ReadonlySet<string>;
  /** The other service providers that took part, for each session that a browser had. */
  readonly unproved: readonly SessionMembers[];
  /** Whether others took part that cannot be notified, or a session may go on. */
  readonly isPartial: boolean;
}

/**
 * Ends the sessions in which the application took part under that name (SAML Profiles §4.4.3.2), whatever browser has them. Several
 * users may have the same name, such as an email address. The application cannot tell them apart, so without an index the sessions
 * of all of them end: otherwise somebody with the same address could keep the session of another user alive. An index names a
 * session in which the name was given. A session that was over before counts as ended. Undefined: the name or the index is of no
 * session.
 */
export async function endSessions(
  tx: WriteTransaction,
  context: Pick<FeatureContext, "log" | "keyring">,
  asked: {
    readonly exchange: Exchange;
    readonly named: NamedSessions;
    /** SHA-256 of the value that the browser has for its session; undefined: it has shown none. */
    readonly valueHash: string | undefined;
  },
): Promise<EndedSessions | undefined> {
  const { applicationId, nameId, sessionIndexes } = asked.named;
  const nameIdHash = hashNameId(nameId);
  const named = await findParticipations(tx, { applicationId, nameIdHash, sessionIndexes });
  const [latest] = named;
  if (latest === undefined) return undefined;
  const all = await listNamesOfSessions(
    tx,
    named.map(({ sessionId }) => sessionId),
  );
  const others = Map.groupBy(
    all.filter((each) => each.applicationId !== applicationId),
    ({ sessionId }) => sessionId,
  );
  const active = await listActive(tx, named);
  const own = active.find(({ valueHash }) => valueHash !== undefined && valueHash === asked.valueHash);
  const { userId } = (own ?? active[0])?.session ?? latest;
  const unproved: SessionMembers[] = [];
  let told = 0;
  let isPartial = named.length === maxFoundParticipations; // there may be more
  for (const { session, valueHash } of active) {
    const { members, isPartial: isShort } = listMembers(context.keyring, others.get(session.id) ?? []);
    if (isShort) isPartial = true;
    if (members.length === 0) continue;
    // The logout that goes on is removed with one user.
    if (valueHash === undefined || session.userId !== userId || unproved.length === maxSessions) continue;
    unproved.push({ valueHash, members });
    told++;
  }
  await terminate(tx, context, { exchange: asked.exchange, sessions: active.map(({ session }) => session) });
  const valueHashes = new Set(active.flatMap(({ valueHash = [] }) => valueHash));
  return { userId, valueHashes, unproved, isPartial: isPartial || told < others.size };
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

/** Records the logouts: each user what is theirs. */
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
