import type { Call } from "../../../kernel/base/call.ts";
import type { Details } from "../../../kernel/base/details.ts";
import type { SessionId } from "../../../kernel/base/ids.ts";
import type { PageRequest } from "../../../kernel/base/paging.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { SessionEnd } from "../../../kernel/events/payloads.ts";
import { change, type FeatureContext } from "../../context.ts";
import { type ListedPage, readList } from "../../list.ts";
import { listParticipationsOfSessions } from "../saml-participations/repository.ts";
import type { SamlParticipation } from "../saml-participations/saml-participation.ts";
import {
  getSession,
  listActiveSessions,
  listExpiredSessions,
  type SessionFilter,
  sessionList,
} from "./repository.ts";
import { type UserSession, terminateSession } from "./session.ts";

/** A session with the SAML applications that took part in it, by their ids. */
export interface ShownSession extends UserSession {
  readonly samlParticipations: readonly SamlParticipation[];
}

/** The use cases of sessions, but for their beginning, which is a part of each login. */
export interface SessionCommands {
  /** Lists the sessions of the organization; only those of the caller if the call reaches no more. Raises PAGE_TOKEN_INVALID. */
  list(call: Call, filter: SessionFilter, page: PageRequest): Promise<ListedPage<ShownSession>>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<ShownSession>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  terminate(call: Call, id: string): Promise<Details>;
  /** Ends sessions whose time is over. For the background. */
  terminateExpired(): Promise<void>;
}

/** How many sessions one write ends in the background, so that no other write waits for long. */
const portion = 50;

/** Creates the commands of sessions. */
export function createSessionCommands(context: FeatureContext): SessionCommands {
  const { database } = context;
  return {
    list: (call, filter, page) =>
      database.read(async (tx) => {
        const { organizationId: of, isOwnOnly } = call.access;
        const isOthers = isOwnOnly === true && ![call.caller.userId, ""].includes(filter.userId);
        const userId = isOwnOnly === true ? call.caller.userId : filter.userId;
        // A caller who may see only their own sessions sees none of another user.
        const asked = { ...filter, of, userId: isOthers ? "0" : userId };
        const listed = await readList(context, tx, { list: sessionList, call, asked, page });
        return { ...listed, page: { ...listed.page, items: await addParticipations(tx, listed.page.items) } };
      }),
    get: (call, id) =>
      database.read(async (tx) => {
        const session = await getSession(tx, call.access.organizationId, id);
        return { ...session, samlParticipations: await listParticipationsOfSessions(tx, [session.id]) };
      }),
    terminate: (begun, id) =>
      change(context, begun, {
        load: ({ tx, call }) => getSession(tx, call.access.organizationId, id),
        decide: (session) => (session.state === "ACTIVE" ? [terminateSession(session, "terminated")] : []),
      }),
    async terminateExpired() {
      let count: number;
      do count = await database.write((tx) => terminateExpiredIn(context, tx));
      while (count >= portion);
    },
  };
}

/**
 * Decides to end all ACTIVE sessions of the user but one. Refresh tokens go on, unless `endAuthorizationsOfUser` ends them.
 */
export async function endSessionsOfUser(
  tx: WriteTransaction,
  userId: string,
  how: { readonly reason: SessionEnd; readonly exceptId?: SessionId | undefined },
): Promise<readonly NewEvent[]> {
  const sessions = await listActiveSessions(tx, userId);
  return sessions
    .filter(({ id }) => id !== how.exceptId)
    .map((session) => terminateSession(session, how.reason));
}

async function addParticipations(
  tx: ReadTransaction,
  sessions: readonly UserSession[],
): Promise<readonly ShownSession[]> {
  const ids = sessions.map(({ id }) => id);
  const found = Map.groupBy(await listParticipationsOfSessions(tx, ids), ({ sessionId }) => sessionId);
  return sessions.map((session) => ({ ...session, samlParticipations: found.get(session.id) ?? [] }));
}

async function terminateExpiredIn({ log, clock }: FeatureContext, tx: WriteTransaction): Promise<number> {
  const expired = await listExpiredSessions(tx, { nowMs: clock.nowMs(), limit: portion });
  const events = expired.map((session) => terminateSession(session, "expired"));
  const origin = { editor: "system", remoteAddress: undefined, requestId: "background" } as const;
  if (events.length > 0) await log.append(tx, origin, events);
  return events.length;
}
