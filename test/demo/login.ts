import * as oidc from "openid-client";
import { logIn, openUserAgent } from "../sites/oidc/support/user-agent.ts";
import { createHttpClient } from "../support/http-client.ts";
import { layLoginGround, type RestService } from "./login-ground.ts";

/** A step of a login, and what came of it. */
export interface LoginStep {
  readonly name: string;
  /** Undefined: it went as it should. */
  readonly problem: string | undefined;
  readonly ms: number;
  /** Something to look at, which is no secret. */
  readonly shown: string;
}

/** Logs somebody in as a web application does, with openid-client, and out again. Stops at the first step that fails. */
export async function demonstrateLogin(service: RestService): Promise<readonly LoginStep[]> {
  const ground = await layLoginGround(service);
  const { issuer, client, person, redirectUri, goodbyeUri } = ground;
  const http = createHttpClient(service.url);
  const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
  const steps: LoginStep[] = [];
  const take = async <T>(name: string, act: () => Promise<T>, show: (result: T) => string): Promise<T> => {
    const started = performance.now();
    const note = (problem: string | undefined, shown: string) =>
      void steps.push({ name, problem, ms: performance.now() - started, shown });
    try {
      const result = await act();
      note(undefined, show(result));
      return result;
    } catch (error) {
      note(String(error), "");
      throw error;
    }
  };
  try {
    const config = await take(
      "discovery",
      () =>
        oidc.discovery(new URL(issuer), client.id, undefined, oidc.ClientSecretBasic(client.secret), {
          execute: [oidc.allowInsecureRequests],
        }),
      (found) => found.serverMetadata().issuer,
    );
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    const expectedState = oidc.randomState();
    const asked = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: "openid profile offline_access",
      state: expectedState,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    });
    const page = await take(
      "authorize",
      () => agent.open(asked.href),
      ({ url }) => url.pathname,
    );
    const back = await take(
      "password",
      () => logIn(agent, page, person),
      (url) => `${url.origin}${url.pathname}`,
    );
    const tokens = await take(
      "code",
      () => oidc.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState }),
      (given) => `${given.token_type}, ${given.expires_in} s, sub ${given.claims()?.sub ?? ""}`,
    );
    const subject = tokens.claims()?.sub ?? "";
    const refreshed = await take(
      "refresh",
      () => oidc.refreshTokenGrant(config, tokens.refresh_token ?? ""),
      ({ scope = "" }) => scope,
    );
    await take(
      "userinfo",
      () => oidc.fetchUserInfo(config, refreshed.access_token, subject),
      ({ name = "" }) => name,
    );
    const goodbye = oidc.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? "",
      post_logout_redirect_uri: goodbyeUri,
    });
    await take(
      "logout",
      () => agent.open(goodbye.href),
      ({ url }) => url.href,
    );
  } catch {
    // The step that failed says so.
  } finally {
    http.close();
  }
  return steps;
}
