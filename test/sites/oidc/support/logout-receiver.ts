import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createRemoteJWKSet, decodeJwt, type JWTPayload, jwtVerify } from "jose";
import { eventually } from "../../../kernel/http/support/sockets.ts";
import { canaries } from "../../../support/canaries.ts";

/** A logout token that was received, and how it came. */
export interface ReceivedLogout {
  readonly path: string;
  readonly verb: string | undefined;
  readonly contentType: string | undefined;
  readonly form: URLSearchParams;
  readonly token: string;
}

/** What a receiver does with a request that it has noted. */
export type LogoutAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** The back channel of applications: a server on loopback. */
export interface LogoutReceiver {
  /** Begins with `http://127.0.0.1:<port>`; a new path, which answers so, or with 200. */
  open(answer?: LogoutAnswer): string;
  /** Answers so at that URL from now on, or with 200. */
  answer(url: string, answer: LogoutAnswer | undefined): void;
  /** What has come to that URL. */
  at(url: string): readonly ReceivedLogout[];
  /** Waits until so many have come to that URL, and returns them. */
  untilAt(url: string, count: number): Promise<readonly ReceivedLogout[]>;
  close(): void;
}

/** Starts a receiver on a free port. */
export async function startLogoutReceiver(): Promise<LogoutReceiver> {
  const received: ReceivedLogout[] = [];
  const answers = new Map<string, LogoutAnswer>();
  const plain: LogoutAnswer = (response) => void response.end();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const form = new URLSearchParams(body);
      const token = form.get("logout_token") ?? "";
      canaries.add("logout token", token);
      const path = request.url ?? "";
      received.push({
        path,
        verb: request.method,
        contentType: request.headers["content-type"],
        form,
        token,
      });
      (answers.get(path) ?? plain)(response, request);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (url: string) => received.filter(({ path }) => origin + path === url);
  return {
    open(answer) {
      const path = `/back-channel-${answers.size}`;
      answers.set(path, answer ?? plain);
      return origin + path;
    },
    answer: (url, answer) => void answers.set(new URL(url).pathname, answer ?? plain),
    at,
    async untilAt(url, count) {
      await eventually(() => at(url).length >= count);
      return at(url);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Checks a logout token as a relying party does (OpenID Connect Back-Channel Logout 1.0 §2.6), by the keys that the issuer publishes
 * at `site`, and returns its claims.
 */
export async function verifyLogoutToken(
  token: string,
  expected: {
    readonly issuer: string;
    readonly site: string;
    readonly clientId: string;
    readonly nowMs: number;
  },
): Promise<JWTPayload & { readonly sid?: string }> {
  const keys = createRemoteJWKSet(new URL(`${expected.site}/oauth/v2/keys`));
  const { payload } = await jwtVerify(token, keys, {
    issuer: expected.issuer,
    audience: expected.clientId,
    typ: "logout+jwt",
    currentDate: new Date(expected.nowMs),
    requiredClaims: ["iat", "exp", "jti", "sub", "sid", "events"],
  });
  const { events } = payload;
  const told = JSON.stringify(events);
  if (told !== '{"http://schemas.openid.net/event/backchannel-logout":{}}')
    throw new Error(`events: ${told}`);
  if ("nonce" in payload) throw new Error("a logout token has no nonce");
  return payload;
}

/** Reads the claims of a token without checking it. */
export function claimsOf({ token }: ReceivedLogout): JWTPayload & { readonly sid?: string } {
  return decodeJwt(token);
}
