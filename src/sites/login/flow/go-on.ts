import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import { type ComingReply, toComingReply } from "../browser-answer.ts";
import { findIdentity } from "../external/identity-note.ts";
import { endInteraction, type Interaction, restOn } from "../interaction.ts";
import {
  endedInteractionCookie,
  toInteractionCookies,
  toRemovedInteractionCookies,
} from "../cookies/interaction-cookies.ts";
import { redirectTo } from "../layout.ts";
import type { LoginRefusal } from "../login-protocol.ts";
import type { LoginState } from "../login-state.ts";
import { findRegistrationOrganization } from "../registration-offer.ts";
import { doesSessionCount } from "../session-use.ts";
import type { LoginStep } from "../step.ts";
import { type EndingLogin, findPathOfAnswer, finishLogin } from "./finish.ts";
import { storeInteraction, storeNewInteraction } from "./interaction-store.ts";
import { readState } from "./read-state.ts";
import { findNextStep } from "./steps.ts";

/** A login that goes on in a write. */
export type GoingLogin = EndingLogin;

/** Goes on with a login: to the page of the next step, to its end, or back where no page may be shown. */
export async function goOn(tx: WriteTransaction, login: GoingLogin): Promise<ComingReply> {
  const { ports, exchange, state, cookie, isNew = false } = login;
  const { interaction, issuer, user } = state;
  const { request, refusal } = interaction;
  if (refusal !== undefined) return await refuseLogin(tx, login, refusal);
  const step = await findNextStep(tx, state);
  if (step === undefined && user !== undefined && (await isAskedFor(tx, login, user.user.id)))
    return await finishLogin(tx, login);
  if (step === undefined || request.prompts.includes("none"))
    return await refuseLogin(tx, login, step?.refusal ?? "login_required");
  await recordEvents(tx, login);
  if (isNew) {
    await login.unlessFinished?.(tx);
    await storeNewInteraction(ports.context, tx, { interaction, cookie, exchange });
  } else await storeInteraction(ports.context, tx, { interaction, cookie });
  const cookies = isNew
    ? toInteractionCookies(exchange, issuer, { id: interaction.id, cookie })
    : toRemovedInteractionCookies(exchange, issuer);
  return redirectTo(`${issuer}/login/${interaction.id}${firstPage(state, step)}`, cookies);
}

/** Says whether the application asks for that user, or for nobody in particular. */
async function isAskedFor(
  tx: WriteTransaction,
  { ports, state }: Pick<GoingLogin, "ports" | "state">,
  userId: UserId,
): Promise<boolean> {
  const { interaction, issuer } = state;
  const { request } = interaction;
  if (request.subject !== undefined && request.subject !== userId) return false;
  return (await ports.protocols[request.protocol].isMeant?.(tx, { request, userId, issuer })) ?? true;
}

/**
 * OpenID Connect Initiating User Registration §3: the browser comes to the page of registration first, which leads to the other. A
 * user who is about to link an identity has said that they have an account.
 */
function firstPage(state: LoginState, step: LoginStep): string {
  const { interaction } = state;
  const isLinking = findIdentity(interaction, "link") !== undefined;
  const isFirst = step.page === "password" && interaction.request.prompts.includes("create") && !isLinking;
  return isFirst && findRegistrationOrganization(state) !== undefined ? "/register" : "";
}

/** Ends a login without a session: the application learns why, at once or when the browser has come back for the answer. */
export async function refuseLogin(
  tx: WriteTransaction,
  login: GoingLogin,
  refusal: LoginRefusal,
): Promise<ComingReply> {
  const { ports, exchange, state, cookie, isNew = false } = login;
  const { interaction, issuer } = state;
  const { request, id } = interaction;
  await login.unlessFinished?.(tx);
  await recordEvents(tx, login);
  const path = findPathOfAnswer(login);
  if (path !== undefined) {
    await storeInteraction(ports.context, tx, { interaction: { ...interaction, refusal }, cookie });
    return redirectTo(`${issuer}${path}`);
  }
  const ended = endInteraction(interaction, "refused");
  if (!isNew) await storeInteraction(ports.context, tx, { interaction: ended, cookie });
  const answer = await ports.protocols[request.protocol].refuse(tx, { request, refusal, issuer });
  const cookies = isNew ? [] : [endedInteractionCookie(issuer, id)];
  return toComingReply(answer, { layout: ports.layout, exchange, uiLocales: request.uiLocales, cookies });
}

/** Begins the part of a login for which the session of the browser is looked at: what was proved in it may count. */
export async function enter(
  tx: WriteTransaction,
  login: Omit<GoingLogin, "state" | "events"> & {
    readonly interaction: Interaction;
    readonly issuer: string;
    readonly sessionHash: string | undefined;
  },
): Promise<ComingReply> {
  const { ports, interaction, issuer, sessionHash } = login;
  const nowMs = ports.context.clock.nowMs();
  const state = await readState(tx, { ports, issuer, nowMs, interaction, sessionHash });
  const { session, user } = state;
  const { request } = state.interaction;
  const isAsked = request.prompts.includes("select_account");
  if (session === undefined || user !== undefined || isAsked)
    return await goOn(tx, { ...login, state, events: [] });
  const isUsable =
    (await doesSessionCount(tx, session, { request, nowMs })) &&
    (await isAskedFor(tx, { ports, state }, session.user.id));
  if (!isUsable) return await goOn(tx, { ...login, state, events: [] });
  const resting = restOn(state.interaction, session);
  const counted = await readState(tx, { ports, issuer, nowMs, interaction: resting, sessionHash });
  return await goOn(tx, { ...login, state: counted, events: [] });
}

async function recordEvents(
  tx: WriteTransaction,
  { ports, exchange, state, events }: Pick<GoingLogin, "ports" | "exchange" | "state" | "events">,
): Promise<void> {
  if (events.length === 0) return;
  const { requestId, remoteAddress } = exchange;
  const editor = state.user?.user.id ?? "system";
  await ports.context.log.append(tx, { editor, remoteAddress, requestId }, events);
}
