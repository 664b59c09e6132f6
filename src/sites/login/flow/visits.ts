import { isDeepStrictEqual } from "node:util";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { Origin } from "../../../kernel/base/call.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { dropIdentity } from "../external/identity-note.ts";
import { requireOwnForm } from "../form-token.ts";
import { readInteractionCookie } from "../cookies/interaction-cookies.ts";
import { redirectToIssuer } from "../issuer-origin.ts";
import { redirectTo } from "../layout.ts";
import type { ChangeInteraction, LoginPage, LoginVisit } from "../login-page.ts";
import type { LoginState } from "../login-state.ts";
import type { ComingReply } from "../browser-answer.ts";
import { readPageForm } from "../page-form.ts";
import { isOfProvider, PageRefusal, type PageRefusalOptions, withWayOn } from "../page-refusal.ts";
import type { LoginPorts } from "../ports.ts";
import { readSessionCookie } from "../cookies/session-cookies.ts";
import { toTexts } from "../texts/texts.ts";
import { enter, goOn, type GoingLogin, refuseLogin } from "./go-on.ts";
import { type HeldInteraction, loadInteraction, storeInteraction } from "./interaction-store.ts";
import { findPage } from "./pages.ts";
import { readState } from "./read-state.ts";
import { type ShownLogin, toShown } from "./shown-login.ts";
import { findNextStep } from "./steps.ts";
import { answerFor, writeFor, writeWithHooks } from "./write-for.ts";

/** A request below `/login/{id}`. */
export interface InteractionRequest {
  readonly ports: LoginPorts;
  readonly exchange: Exchange;
  readonly issuer: string;
  readonly id: string;
}

/** Shows the page of the next step. Raises the refusal of a browser that does not have the cookie of the interaction. */
export async function showInteraction(request: InteractionRequest): Promise<Reply> {
  const { ports, issuer, id } = request;
  const cookie = requireCookie(request);
  const { shown, step } = await ports.context.database.read(async (tx) => {
    const read = await readHeld(tx, request, cookie);
    return { shown: await toShown(tx, read, request), step: await findNextStep(tx, read) };
  });
  // Nothing is missing any more, as when the user went on in another window: the end of a login is a write.
  if (step === undefined) return redirectTo(`${issuer}/login/${id}/continue`);
  return await requirePage(step.page).show(createVisit(request, { ...shown, cookie }));
}

/** Shows a page that is another way through the next step; where that is no more the next one, the browser is sent to what is. */
export async function showPage(request: InteractionRequest, page: LoginPage): Promise<Reply> {
  const { ports } = request;
  const cookie = requireCookie(request);
  const shown = await ports.context.database.read(async (tx) => {
    const read = await readHeld(tx, request, cookie);
    return (await isNext(tx, read, page)) ? await toShown(tx, read, request) : undefined;
  });
  if (page.insteadOf === undefined || shown === undefined) return toInteraction(request);
  return await page.show(createVisit(request, { ...shown, cookie }));
}

/** Goes on without the identity that the browser has brought from a provider, so that another way can be chosen. */
export async function chooseAnotherWay(request: InteractionRequest): Promise<Reply> {
  await changeStored(request, dropIdentity);
  return toInteraction(request);
}

/** Looks at the session of the browser, which a request by POST comes without, and goes on. */
export async function continueInteraction(request: InteractionRequest): Promise<Reply> {
  const { ports, exchange, issuer } = request;
  const cookie = requireCookie(request);
  return await answerFor(request, async (tx, hooks) => {
    const interaction = await requireInteraction(tx, request, cookie);
    const sessionHash = readSessionCookie(exchange, issuer);
    return await enter(tx, { ports, exchange, issuer, hooks, sessionHash, cookie, interaction });
  });
}

/** Goes on at the path of a protocol: see `Logins.goOn`. */
export async function goOnWithLogin(request: InteractionRequest): Promise<Reply> {
  return await withWayBack(request, async () => {
    try {
      return redirectToIssuer(request.exchange, request.issuer) ?? (await continueInteraction(request));
    } catch (error) {
      const isEnded =
        error instanceof PageRefusal && (error.kind === "signed-in" || error.kind === "refused");
      throw isEnded ? new PageRefusal("begin-again") : error;
    }
  });
}

/** Takes the form of a page. One for another step than the next changes nothing: the browser is sent to that step. */
export async function submitInteraction(request: InteractionRequest, page: LoginPage): Promise<Reply> {
  const { ports, exchange } = request;
  const cookie = requireCookie(request);
  const form = await readPageForm(exchange, ports.bodies);
  requireOwnForm(exchange, form, cookie);
  const found = await ports.context.database.read(async (tx) => {
    const state = await readHeld(tx, request, cookie);
    return (await isNext(tx, state, page)) ? await toShown(tx, state, request) : undefined;
  });
  if (found === undefined) return toInteraction(request);
  const answer = await page.submit(createVisit(request, { ...found, cookie }), form);
  switch (answer.kind) {
    case "page":
      return answer.reply;
    case "refuse":
      return await answerFor(request, async (tx, hooks) => {
        const state = await readHeld(tx, request, cookie);
        return await refuseLogin(tx, { ports, exchange, hooks, state, cookie, events: [] }, answer.refusal);
      });
    case "go-on":
      return await changeInWrite({ request, page, cookie, change: answer.change, seen: found.state });
  }
}

/**
 * Changes an interaction by something else than a form of ours, such as the answer of an identity provider, while the step of `page`
 * is the next one. Raises the refusal of a browser that does not have the cookie of the interaction.
 */
export async function changeInteraction(
  request: InteractionRequest,
  page: Pick<LoginPage, "name" | "insteadOf">,
  change: ChangeInteraction,
): Promise<Reply> {
  const cookie = requireCookie(request);
  return await changeInWrite({ request, page, cookie, change });
}

/** Names the way back to the application on the page of a refusal, for the browser that has the cookie of the interaction. */
export async function withWayBack(request: InteractionRequest, work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PageRefusal)) throw error;
    const options = await findWayBack(request);
    const otherWayPath = isOfProvider(error.kind) ? options.otherWayPath : undefined;
    const all = { ...error.options, ...options, otherWayPath };
    throw new PageRefusal(error.kind, withWayOn(error.kind, all, request.issuer));
  }
}

async function findWayBack({ ports, exchange, issuer, id }: InteractionRequest): Promise<PageRefusalOptions> {
  const cookie = readInteractionCookie(exchange, issuer, id);
  if (cookie === undefined) return {};
  const { context, protocols } = ports;
  return await context.database.read(async (tx) => {
    const interaction = await loadInteraction(context, tx, { id, cookie, nowMs: context.clock.nowMs() });
    if (interaction === undefined) return {};
    const { protocol, uiLocales } = interaction.request;
    const backUrl = await protocols[protocol].findWayBack(tx, interaction.request, issuer);
    const otherWayPath = interaction.ended === undefined ? `/login/${id}/another-way` : undefined;
    return { uiLocales, backUrl, otherWayPath };
  });
}

/** Goes to where the interaction stands. */
function toInteraction({ issuer, id }: InteractionRequest): Reply {
  return redirectTo(`${issuer}/login/${id}`);
}

interface SubmittedChange {
  readonly request: InteractionRequest;
  readonly page: Pick<LoginPage, "name" | "insteadOf">;
  readonly cookie: Secret;
  readonly change: ChangeInteraction;
  /** What the change was decided by; undefined: nothing that was read before the write. */
  readonly seen?: LoginState;
}

async function changeInWrite(submitted: SubmittedChange): Promise<Reply> {
  const applied = await writeWithHooks(submitted.request, (tx, hooks) => applyChange(tx, hooks, submitted));
  applied.afterCommit?.();
  const { reply } = applied;
  return typeof reply === "function" ? await reply() : reply;
}

async function applyChange(
  tx: WriteTransaction,
  hooks: HookSession,
  submitted: SubmittedChange,
): Promise<{ readonly reply: ComingReply; readonly afterCommit?: (() => void) | undefined }> {
  const { request, page, cookie } = submitted;
  const { ports, exchange, issuer } = request;
  const before = await readHeld(tx, request, cookie);
  if (isOtherLogin(submitted.seen, before)) return { reply: toInteraction(request) };
  if (!(await isNext(tx, before, page))) return { reply: toInteraction(request) };
  const changed = await submitted.change(tx, before, hooks);
  const { events = [] } = changed;
  const going: GoingLogin = { ports, exchange, hooks, state: before, cookie, events };
  if ("reply" in changed) {
    const { requestId, remoteAddress } = exchange;
    const editor = before.user?.user.id ?? "system";
    if (events.length > 0) await ports.context.log.append(tx, { editor, remoteAddress, requestId }, events);
    return { reply: changed.reply };
  }
  const { interaction, first = [], afterCommit } = changed;
  if (first.length > 0) await ports.context.log.append(tx, systemOrigin(exchange), first);
  const { nowMs } = before;
  const sessionHash = readSessionCookie(exchange, issuer);
  const state = await readState(tx, { ports, issuer, nowMs, interaction, sessionHash, isSettled: true });
  return { reply: await goOn(tx, { ...going, state }), afterCommit };
}

/**
 * Says whether somebody else logs in than before, or by other proofs, as when two forms of an interaction are sent at once: the
 * proofs of one user must not count for the other.
 */
function isOtherLogin(seen: LoginState | undefined, { interaction: now }: LoginState): boolean {
  if (seen === undefined) return false;
  const { user, sessionId, checks } = seen.interaction;
  return user?.id !== now.user?.id || sessionId !== now.sessionId || !isDeepStrictEqual(checks, now.checks);
}

/** The record of a person without an account. */
function systemOrigin({ remoteAddress, requestId }: Exchange): Origin {
  return { editor: "system", remoteAddress, requestId };
}

async function isNext(
  tx: ReadTransaction,
  state: LoginState,
  { name, insteadOf = name }: Pick<LoginPage, "name" | "insteadOf">,
): Promise<boolean> {
  return (await findNextStep(tx, state))?.page === insteadOf;
}

function createVisit(
  request: InteractionRequest,
  { state, label, language, cookie }: ShownLogin & { readonly cookie: Secret },
): LoginVisit {
  const { ports, exchange, issuer } = request;
  const texts = toTexts(language);
  return {
    exchange,
    issuer,
    ports,
    texts,
    state,
    cookie,
    render: (page) => ports.layout.renderPage({ ...page, ...label, texts }),
    remember: (step, note) =>
      changeStored(request, (held) => ({ ...held, notes: { ...held.notes, [step]: note } })),
  };
}

async function changeStored(request: InteractionRequest, change: typeof dropIdentity): Promise<void> {
  const cookie = requireCookie(request);
  await writeFor(request, async (tx) => {
    const interaction = change(await requireInteraction(tx, request, cookie));
    await storeInteraction(request.ports.context, tx, { interaction, cookie });
  });
}

function requireCookie({ exchange, issuer, id }: InteractionRequest): Secret {
  const cookie = readInteractionCookie(exchange, issuer, id);
  if (cookie === undefined) throw new PageRefusal("begin-again");
  return cookie;
}

/**
 * Reads how the login of an interaction stands, in a write that is not about a page of it. Raises the refusal of a browser that does
 * not have the cookie of the interaction, and of an interaction that has ended.
 */
export async function readInteractionState(
  tx: ReadTransaction,
  request: InteractionRequest,
): Promise<LoginState> {
  return await readHeld(tx, request, requireCookie(request));
}

async function requireInteraction(
  tx: ReadTransaction,
  { ports, id }: InteractionRequest,
  cookie: Secret,
): Promise<HeldInteraction["interaction"]> {
  const nowMs = ports.context.clock.nowMs();
  const interaction = await loadInteraction(ports.context, tx, { id, cookie, nowMs });
  if (interaction === undefined) throw new PageRefusal("begin-again");
  if (interaction.ended !== undefined) throw new PageRefusal(interaction.ended);
  return interaction;
}

async function readHeld(
  tx: ReadTransaction,
  request: InteractionRequest,
  cookie: Secret,
): Promise<LoginState> {
  const { ports, exchange, issuer } = request;
  const interaction = await requireInteraction(tx, request, cookie);
  const nowMs = ports.context.clock.nowMs();
  const sessionHash = readSessionCookie(exchange, issuer);
  return await readState(tx, { ports, issuer, nowMs, interaction, sessionHash });
}

function requirePage(name: string): LoginPage {
  const page = findPage(name);
  if (page === undefined) throw new Error(`the step ${name} has no page`);
  return page;
}
