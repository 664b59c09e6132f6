import type { Logger } from "pino";
import type { FeatureContext } from "../../../identity/context.ts";
import { dropNotices } from "../../../identity/protocol-state/logout-notices/commands.ts";
import {
  isInTime,
  type LogoutFailure,
  type LogoutNotice,
  nextTryMs,
  tryMs,
} from "../../../identity/protocol-state/logout-notices/logout-notice.ts";
import {
  findBackChannel,
  postponeNotice,
  removeNotice,
} from "../../../identity/protocol-state/logout-notices/repository.ts";
import type { OwnTokens } from "../../../identity/signing-keys/jwt.ts";
import { logoutTokenType, toLogoutTokenClaims } from "./logout-token.ts";

/** The guarded fetch as logouts need it. */
export interface LogoutPost {
  /** Rejects only with the reason of `signal` when that is aborted, never because of the remote side. */
  post(
    url: string,
    fields: Readonly<Record<string, string>>,
    options: { readonly timeoutMs: number; readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<
    | { readonly kind: "answered"; readonly status: number }
    | { readonly kind: "forbidden" }
    | { readonly kind: "unreachable" }
  >;
}

/** What notices are delivered with. */
export interface DeliveryPorts {
  readonly context: Pick<FeatureContext, "database" | "clock" | "log">;
  readonly ownTokens: Pick<OwnTokens, "sign">;
  readonly fetcher: LogoutPost;
  readonly logger: Logger;
}

/** Of the answer, which nobody reads. */
const maxBytes = 65_536;

/** The result of a try. `detail` is for the log: a status, or why there was none. */
type Tried =
  | { readonly kind: "delivered" | "not_wanted" }
  | { readonly kind: "failed"; readonly cause: LogoutFailure; readonly detail: string };

/**
 * Makes a try for a notice that the caller has claimed, and stores what follows: the notice goes once it was delivered, when it is
 * of no use any more, or, recorded, after the last try; otherwise it waits. Returns the instant of the next try, if there is one.
 * Rejects when `signal` is aborted; it is not known then whether the application got the notice, and the claim stays until its time
 * is over.
 */
export async function deliverNotice(
  ports: DeliveryPorts,
  notice: LogoutNotice,
  { issuer, signal }: { readonly issuer: string; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const { context, logger } = ports;
  const tried = await tryOnce(ports, notice, { issuer, signal });
  const nextMs = tried.kind === "failed" ? nextTryMs(notice, context.clock.nowMs()) : undefined;
  await context.database.write(async (tx) => {
    if (nextMs !== undefined) await postponeNotice(tx, notice, nextMs);
    else if (tried.kind === "failed")
      await dropNotices(tx, context, { notices: [notice], cause: tried.cause });
    else await removeNotice(tx, notice);
  });
  const { applicationId, sessionId, tries } = notice;
  const about = { application_id: applicationId, session_id: sessionId, tries };
  if (tried.kind !== "failed") logger.debug(about, `logout_token.${tried.kind}`);
  else if (nextMs === undefined) logger.warn({ ...about, cause: tried.detail }, "logout_token.dropped");
  else logger.debug({ ...about, cause: tried.detail }, "logout_token.not_delivered");
  return nextMs;
}

async function tryOnce(
  { context, ownTokens, fetcher }: DeliveryPorts,
  notice: LogoutNotice,
  { issuer, signal }: { readonly issuer: string; readonly signal: AbortSignal },
): Promise<Tried> {
  const { clock } = context;
  const channel = await context.database.read((tx) => findBackChannel(tx, notice.applicationId));
  if (channel === undefined) return { kind: "not_wanted" };
  const claims = toLogoutTokenClaims(notice, { issuer, nowMs: clock.nowMs(), subject: channel.subject });
  const token = await ownTokens.sign(claims, { typ: logoutTokenType, algorithm: channel.algorithm });
  // A process that was held up for so long must not send beside the one that has taken the notice over.
  if (!isInTime(notice, clock.nowMs())) {
    return { kind: "failed", cause: "held_up", detail: "held up" };
  }
  const fields = { logout_token: token };
  const outcome = await fetcher.post(channel.uri, fields, { timeoutMs: tryMs, maxBytes, signal });
  if (outcome.kind !== "answered") {
    return { kind: "failed", cause: outcome.kind, detail: outcome.kind };
  }
  const { status } = outcome;
  // Back-Channel Logout 1.0 §2.8: 200 is right, and some frameworks make it 204.
  return status === 200 || status === 204
    ? { kind: "delivered" }
    : { kind: "failed", cause: "refused", detail: `status ${status}` };
}
