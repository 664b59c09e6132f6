import { clientId } from "../api/client-id.ts";
import { Code, ConnectError } from "@connectrpc/connect";
import type { CallerPort } from "../api/transport.ts";
import { basePath, toPlace } from "../routing/routes.ts";
import {
  askHere,
  type GivenTokens,
  makeRandomText,
  type Provider,
  ProviderError,
  readProvider,
  redeemCode,
  toChallenge,
} from "./provider.ts";
import {
  type Boot,
  callbackPath,
  decideBegin,
  decideBoot,
  isExpectedIdToken,
  renewalMsOf,
  type SignInFailure,
  subjectOf,
} from "./sign-in.ts";
import { createTabStore } from "./tab-store.ts";

/** Somebody who is signed in. */
export interface Session {
  readonly caller: CallerPort;
  /** What came with the tokens; undefined after a login with a page. */
  readonly first: GivenTokens["first"];
  /** Leaves for a new token if the one at hand ends soon; to be called when nothing is lost by it. */
  renewIfShort(): void;
  /** Ends the session of the browser with the service; the page is left. */
  signOut(): void;
}

/** The result of starting; `leaving`: the browser is on its way to another page. */
export type SessionStart =
  | { readonly kind: "signed-in"; readonly session: Session }
  | { readonly kind: "leaving" }
  | { readonly kind: "signed-out" }
  | { readonly kind: "failed"; readonly failure: SignInFailure; readonly code?: string | undefined };

/** What signing in needs of the page. */
export interface SessionPorts {
  readonly nowMs: () => number;
  /** The language of the pages of signing in. */
  readonly language: string;
  /** Called when nobody can be signed in any more. */
  readonly onFailure: (failure: SignInFailure) => void;
}

/** Signs the user in: decides what the page was loaded for, and does it. */
export async function startSession(ports: SessionPorts): Promise<SessionStart> {
  const store = createTabStore(sessionStorage);
  const { path, query } = toPlace(location.pathname, location.search) ?? { path: "/", query: "" };
  const boot = decideBoot({
    path,
    query,
    attempt: store.takeAttempt(),
    isSignedOut: store.isSignedOut(),
    begins: store.begins(),
    nowMs: ports.nowMs(),
    issuer: location.origin,
  });
  if (boot.kind === "begin" && boot.isSilent)
    return await unlessUnreachable(() => signInHere(ports, boot.place));
  return await act(ports, boot);
}

/** Begins a login, with its page, at the user's wish: after a failure, or after signing out. */
export async function signInAgain(ports: SessionPorts): Promise<SessionStart> {
  createTabStore(sessionStorage).settle();
  return await act(ports, { kind: "begin", isSilent: false, place: placeNow() });
}

/** Signs in whom the browser has a session of, without leaving the page. If there is nobody, a login with a page begins. */
async function signInHere(ports: SessionPorts, place: string): Promise<SessionStart> {
  const tokens = await askHere();
  if (tokens !== undefined) return enter(ports, tokens, { nonce: undefined, place });
  const facts = { begins: createTabStore(sessionStorage).begins(), nowMs: ports.nowMs() };
  return await act(ports, decideBegin(facts, { isSilent: false, place }));
}

async function unlessUnreachable(use: () => Promise<SessionStart>): Promise<SessionStart> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof ProviderError) return { kind: "failed", failure: "unreachable", code: error.code };
    if (error instanceof TypeError) return { kind: "failed", failure: "unreachable" };
    throw error;
  }
}

/** Does what was decided. */
async function act(ports: SessionPorts, boot: Boot): Promise<SessionStart> {
  return await unlessUnreachable(async () => {
    switch (boot.kind) {
      case "begin":
        return await leaveForLogin(ports, boot);
      case "signed-out":
        createTabStore(sessionStorage).signOut();
        return boot;
      case "failed":
        return boot;
      case "redeem": {
        const { verifier, nonce, place } = boot.attempt;
        const provider = await readProvider();
        const tokens = await redeemCode(provider, {
          client_id: clientId,
          code: boot.code,
          redirect_uri: redirectUriOf(provider),
          code_verifier: verifier,
        });
        return enter(ports, tokens, { nonce, place });
      }
    }
  });
}

/** Leaves for the pages of the service, or for an answer without one; both come back to the console. */
async function leaveForLogin(
  ports: SessionPorts,
  { isSilent, place }: Extract<Boot, { kind: "begin" }>,
): Promise<SessionStart> {
  const provider = await readProvider();
  // Under another name of the service the login would not come back to this tab.
  if (provider.issuer !== location.origin)
    return leave(provider.issuer + location.pathname + location.search);
  const [state, nonce, verifier] = [makeRandomText(), makeRandomText(), makeRandomText()];
  createTabStore(sessionStorage).begin({ state, nonce, verifier, place, isSilent }, ports.nowMs());
  const url = new URL(provider.authorizationEndpoint);
  url.search = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    redirect_uri: redirectUriOf(provider),
    scope: "openid profile",
    state,
    nonce,
    code_challenge: await toChallenge(verifier),
    code_challenge_method: "S256",
    ui_locales: ports.language,
    ...(isSilent ? { prompt: "none" } : {}),
  }).toString();
  return leave(url.href);
}

/** Enters with the tokens, if they are the answer to this login. */
function enter(
  ports: SessionPorts,
  tokens: GivenTokens,
  { nonce, place }: { readonly nonce: string | undefined; readonly place: string },
): SessionStart {
  const nowMs = tokens.answeredMs ?? ports.nowMs();
  if (!isExpectedIdToken(tokens.idToken, { issuer: location.origin, clientId, nonce, nowMs }))
    return { kind: "failed", failure: "unexpected-answer" };
  const isSame = createTabStore(sessionStorage).welcome(subjectOf(tokens.idToken));
  history.replaceState(null, "", basePath + (isSame ? place : "/"));
  return { kind: "signed-in", session: openSession(ports, tokens) };
}

function openSession(ports: SessionPorts, tokens: GivenTokens): Session {
  const store = createTabStore(sessionStorage);
  const endMs = ports.nowMs() + tokens.lifetimeSeconds * 1000;
  let isLeaving = false;
  const renew = (): void => {
    if (isLeaving) return;
    isLeaving = true;
    const facts = { begins: store.begins(), nowMs: ports.nowMs() };
    const boot = decideBegin(facts, { isSilent: true, place: placeNow() });
    if (boot.kind === "failed") ports.onFailure(boot.failure);
    else void act(ports, boot).then((start) => start.kind === "failed" && ports.onFailure(start.failure));
  };
  return {
    first: tokens.first,
    caller: {
      token() {
        if (!isLeaving && ports.nowMs() < endMs) return tokens.accessToken;
        renew();
        throw new ConnectError("the login has expired", Code.Unauthenticated);
      },
      onUnauthenticated: renew,
      onAccepted: () => store.settle(),
    },
    renewIfShort() {
      if (endMs - ports.nowMs() < renewalMsOf(tokens.lifetimeSeconds)) renew();
    },
    signOut() {
      isLeaving = true;
      store.signOut();
      void unlessUnreachable(async () => {
        const url = new URL((await readProvider()).endSessionEndpoint);
        url.search = new URLSearchParams({
          id_token_hint: tokens.idToken,
          client_id: clientId,
          post_logout_redirect_uri: `${location.origin}${basePath}/`,
          ui_locales: ports.language,
        }).toString();
        return leave(url.href);
      }).then((start) => start.kind === "failed" && ports.onFailure(start.failure));
    },
  };
}

function redirectUriOf({ issuer }: Provider): string {
  return `${issuer}${basePath}${callbackPath}`;
}

function leave(url: string): SessionStart {
  location.assign(url);
  return { kind: "leaving" };
}

/** The place to come back to; never the address of the answer to a login, which can be used only once. */
function placeNow(): string {
  const place = toPlace(location.pathname, location.search);
  return place === undefined || place.path === callbackPath ? "/" : place.path + location.search;
}
