import { clientId } from "../api/client-id.ts";
import { Code, ConnectError } from "@connectrpc/connect";
import type { CallerPort } from "../api/transport.ts";
import { basePath, toPlace } from "../routing/routes.ts";
import {
  askHere,
  makeRandomText,
  type Provider,
  ProviderError,
  readProvider,
  redeemCode,
  toChallenge,
} from "./provider.ts";
import {
  type Boot,
  type BootFacts,
  callbackPath,
  decideBegin,
  decideBoot,
  isExpectedIdToken,
  renewalMsOf,
  type SignInFailure,
  subjectOf,
} from "./sign-in.ts";
import { createTabStore, type TabStore } from "./tab-store.ts";

/** Somebody who is signed in. */
export interface Session {
  readonly caller: CallerPort;
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
  /** Called when the service was asked for the tokens, and something else can be loaded meanwhile. */
  readonly onAsked: () => void;
  /** Called when nobody can be signed in any more. */
  readonly onFailure: (failure: SignInFailure) => void;
}

/** Signs the user in: decides what the page was loaded for, and does it. */
export async function startSession(ports: SessionPorts): Promise<SessionStart> {
  return await withProvider(async (provider) => {
    const { origin } = new URL(provider.issuer);
    // Under another name of the service the login would not come back to this tab.
    if (origin !== location.origin) return leave(origin + location.pathname + location.search);
    const store = createTabStore(sessionStorage);
    const { path, query } = toPlace(location.pathname, location.search) ?? { path: "/", query: "" };
    const attempt = store.takeAttempt();
    const boot = decideBoot({ ...factsOf(store, { provider, ports }), path, query, attempt });
    return await createSignIn(provider, ports, "here")(boot);
  });
}

/** Begins a login, with its page, at the user's wish: after a failure, or after signing out. */
export async function signInAgain(ports: SessionPorts): Promise<SessionStart> {
  createTabStore(sessionStorage).settle();
  return await withProvider((provider) =>
    createSignIn(provider, ports)({ kind: "begin", isSilent: false, place: placeNow() }),
  );
}

function factsOf(
  store: TabStore,
  { provider, ports }: { readonly provider: Provider; readonly ports: SessionPorts },
): Pick<BootFacts, "isSignedOut" | "begins" | "nowMs" | "issuer"> {
  return {
    isSignedOut: store.isSignedOut(),
    begins: store.begins(),
    nowMs: ports.nowMs(),
    issuer: provider.issuer,
  };
}

async function withProvider(use: (provider: Provider) => Promise<SessionStart>): Promise<SessionStart> {
  try {
    return await use(await readProvider());
  } catch (error) {
    if (error instanceof ProviderError) return { kind: "failed", failure: "unreachable", code: error.code };
    if (error instanceof TypeError) return { kind: "failed", failure: "unreachable" };
    throw error;
  }
}

/**
 * Returns a function that does what was decided. A silent login is made `here`, by a request of the page, which is quicker than to leave
 * the page, or `away`, with a page to come back to.
 */
function createSignIn(
  provider: Provider,
  ports: SessionPorts,
  silentLogin: "here" | "away" = "away",
): (boot: Boot) => Promise<SessionStart> {
  const redirectUri = `${provider.issuer}${basePath}${callbackPath}`;
  const act = async (boot: Boot): Promise<SessionStart> => {
    switch (boot.kind) {
      case "begin": {
        const { isSilent, place } = boot;
        const attempt = {
          state: makeRandomText(),
          nonce: makeRandomText(),
          verifier: makeRandomText(),
          place,
          isSilent,
        };
        createTabStore(sessionStorage).begin(attempt, ports.nowMs());
        const url = new URL(provider.authorizationEndpoint);
        url.search = new URLSearchParams({
          client_id: clientId,
          response_type: "code",
          redirect_uri: redirectUri,
          scope: "openid profile",
          state: attempt.state,
          nonce: attempt.nonce,
          code_challenge: await toChallenge(attempt.verifier),
          code_challenge_method: "S256",
          ui_locales: ports.language,
          ...(isSilent ? { prompt: "none" } : {}),
        }).toString();
        if (!isSilent || silentLogin === "away") return leave(url.href);
        const query = await askHere(url);
        if (query === undefined) return leave(url.href);
        const store = createTabStore(sessionStorage);
        store.takeAttempt(); // its answer is here
        return await act(
          decideBoot({ ...factsOf(store, { provider, ports }), path: callbackPath, query, attempt }),
        );
      }
      case "signed-out":
        createTabStore(sessionStorage).signOut();
        return boot;
      case "failed":
        return boot;
      case "redeem": {
        const { verifier, nonce, place } = boot.attempt;
        const form = {
          client_id: clientId,
          code: boot.code,
          redirect_uri: redirectUri,
          code_verifier: verifier,
        };
        const answer = redeemCode(provider, form);
        ports.onAsked();
        const tokens = await answer;
        const nowMs = tokens.answeredMs ?? ports.nowMs();
        if (!isExpectedIdToken(tokens.idToken, { issuer: provider.issuer, clientId, nonce, nowMs })) {
          return { kind: "failed", failure: "unexpected-answer" };
        }
        const isSame = createTabStore(sessionStorage).welcome(subjectOf(tokens.idToken));
        history.replaceState(null, "", basePath + (isSame ? place : "/"));
        const endMs = ports.nowMs() + tokens.lifetimeSeconds * 1000;
        const held = { ...tokens, endMs, renewalMs: renewalMsOf(tokens.lifetimeSeconds) };
        return {
          kind: "signed-in",
          session: openSession({ provider, ports, held, act: createSignIn(provider, ports) }),
        };
      }
    }
  };
  return act;
}

interface SessionInit {
  readonly provider: Provider;
  readonly ports: SessionPorts;
  readonly held: {
    readonly accessToken: string;
    readonly idToken: string;
    readonly endMs: number;
    readonly renewalMs: number;
  };
  readonly act: (boot: Boot) => Promise<SessionStart>;
}

function openSession({ provider, ports, held, act }: SessionInit): Session {
  const store = createTabStore(sessionStorage);
  let isLeaving = false;
  const renew = (): void => {
    if (isLeaving) return;
    isLeaving = true;
    const facts = { begins: store.begins(), nowMs: ports.nowMs() };
    const boot = decideBegin(facts, { isSilent: true, place: placeNow() });
    if (boot.kind === "failed") ports.onFailure(boot.failure);
    else act(boot).catch(() => ports.onFailure("unreachable"));
  };
  return {
    caller: {
      token() {
        if (!isLeaving && ports.nowMs() < held.endMs) return held.accessToken;
        renew();
        throw new ConnectError("the login has expired", Code.Unauthenticated);
      },
      onUnauthenticated: renew,
      onAccepted: () => store.settle(),
    },
    renewIfShort() {
      if (held.endMs - ports.nowMs() < held.renewalMs) renew();
    },
    signOut() {
      isLeaving = true;
      store.signOut();
      const url = new URL(provider.endSessionEndpoint);
      url.search = new URLSearchParams({
        id_token_hint: held.idToken,
        client_id: clientId,
        post_logout_redirect_uri: `${provider.issuer}${basePath}/`,
        ui_locales: ports.language,
      }).toString();
      location.assign(url.href);
    },
  };
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
