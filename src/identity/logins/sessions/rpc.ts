import { SamlNameIdFormat } from "../../../../gen/gatehouse/v1/application_pb.ts";
import { SessionMethod, SessionState } from "../../../../gen/gatehouse/v1/session_pb.ts";
import { SessionService } from "../../../../gen/gatehouse/v1/session_service_pb.ts";
import type { Call } from "../../../kernel/base/call.ts";
import type { Details } from "../../../kernel/base/details.ts";
import type { FeatureContext } from "../../context.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toTimestampOfMs,
  valueName,
} from "../../messages.ts";
import { implementService, type ServiceImplementation } from "../../rpc.ts";
import type { SessionCommands, ShownSession } from "./commands.ts";

/** What SessionService does. The end of all sessions of a user stands with users, because it ends refresh tokens too. */
export interface SessionServiceCommands extends SessionCommands {
  /** Raises NOT_FOUND. Harmless to repeat. */
  terminateAll(
    call: Call,
    of: { readonly userId: string; readonly exceptSessionId: string },
  ): Promise<Details>;
}

/** Maps the messages of SessionService to commands. */
export function createSessionService(
  commands: SessionServiceCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(SessionService, {
    listSessions: {
      run: async (call, request) => {
        const filter = { userId: request.userId, state: valueName(SessionState, request.state) };
        const listed = await commands.list(call, filter, toPageRequest(request));
        return { ...toListAnswer(listed, context), sessions: listed.page.items.map(toSessionMessage) };
      },
    },
    getSession: {
      run: async (call, request) => ({
        session: toSessionMessage(await commands.get(call, request.sessionId)),
      }),
    },
    terminateSession: {
      run: async (call, request) => toDetailsAnswer(await commands.terminate(call, request.sessionId)),
    },
    terminateUserSessions: {
      run: async (call, request) => toDetailsAnswer(await commands.terminateAll(call, request)),
    },
  });
}

function toSessionMessage(session: ShownSession) {
  return {
    id: session.id,
    details: toObjectDetails(session.details),
    state: SessionState[session.state],
    userId: session.userId,
    checks: session.checks.map(({ method, dateMs }) => ({
      method: SessionMethod[method],
      date: toTimestampOfMs(dateMs),
    })),
    userAgent: session.userAgent,
    remoteAddress: session.remoteAddress,
    expirationDate: toTimestampOfMs(session.expirationMs),
    samlParticipations: session.samlParticipations.map((participation) => ({
      applicationId: participation.applicationId,
      nameIdFormat: SamlNameIdFormat[participation.nameIdFormat],
      authenticationDate: toTimestampOfMs(participation.authenticationDateMs),
    })),
  };
}
