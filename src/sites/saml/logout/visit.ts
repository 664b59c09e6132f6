import type { FeatureContext } from "../../../identity/context.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { InteractionId } from "../../../kernel/base/ids.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { toCookieHeader, toCookieRemoval } from "../../login/cookies/cookies.ts";
import { endedSessionCookie } from "../../login/cookies/session-cookies.ts";
import { redirectTo } from "../../login/layout.ts";
import { writeFor } from "../../login/flow/write-for.ts";
import type { AdvancePorts, SamlLogoutStep } from "./advance.ts";
import { logoutCookie } from "./logout-store.ts";
import {
  type LogoutReplyPorts,
  replyLoggedOut,
  replyPause,
  replyWithRequest,
  replyWithResponse,
} from "./replies.ts";

/** What logouts work with. */
export interface SamlLogoutPorts extends AdvancePorts, LogoutReplyPorts {
  readonly context: FeatureContext;
}

/** A request of a browser that logs out. */
export interface LogoutVisit {
  readonly exchange: Exchange;
  readonly issuer: string;
  /** Ours. */
  readonly entityId: string;
  /** Our URL of the path that takes messages. What is below it goes on with a logout. */
  readonly url: string;
}

/** What a write has decided. */
export interface DecidedLogout {
  readonly step: SamlLogoutStep | StoredStep;
  /** That of a logout that begins, which is sent if it goes on; or whether the browser has the cookie of the logout. */
  readonly cookie: Secret | "held" | "none";
  /** Whether the session of this browser has ended. */
  readonly isSessionEnded?: boolean;
}

/** A POST comes without cookies, so that the browser goes on with a GET. */
interface StoredStep {
  readonly kind: "stored";
  readonly id: InteractionId;
}

/** Decides in one write what comes next, and sends the browser there. */
export async function sendOn(
  ports: SamlLogoutPorts,
  visit: LogoutVisit,
  decide: (tx: WriteTransaction) => Promise<DecidedLogout>,
): Promise<Reply> {
  const { exchange, issuer, entityId, url } = visit;
  await ports.samlKeys.getSigner(); // the first one is made now: the answer to what is written must not fail
  const decided = await writeFor({ ports, exchange }, decide);
  const { step } = decided;
  const cookies = toCookies(visit, decided);
  switch (step.kind) {
    case "stored":
      return redirectTo(`${url}/${step.id}`, cookies);
    case "ask":
      return await replyWithRequest(ports, { exchange, entityId, cookies }, step);
    case "pause":
      return replyPause(ports, { exchange, entityId, cookies }, `${url}/${step.id}`);
    case "page":
      return redirectTo(`${issuer}${step.path}`, cookies);
    case "answer":
      return step.service === undefined
        ? replyLoggedOut(ports, { exchange, entityId, cookies }, step.outcome)
        : await replyWithResponse(ports, { exchange, entityId, cookies }, { ...step, service: step.service });
  }
}

function toCookies({ issuer }: LogoutVisit, decided: DecidedLogout): readonly string[] {
  const { step, cookie, isSessionEnded } = decided;
  const name = logoutCookie(issuer);
  const isOver = step.kind === "answer" || step.kind === "page";
  return [
    ...(isOver && cookie === "held" ? [toCookieRemoval(name)] : []),
    ...(isOver || typeof cookie === "string" ? [] : [toCookieHeader(name, cookie, undefined)]),
    ...(isSessionEnded === true ? [endedSessionCookie(issuer)] : []),
  ];
}
