import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { type JWTPayload, SignJWT } from "jose";
import { canaries } from "../../../../support/canaries.ts";
import type { TestClock } from "../../../../support/clock.ts";

/** What a test has otherwise in the JWT of a gateway. A claim that is undefined is left out. */
export interface TokenDraft {
  readonly claims?: object;
  readonly header?: object;
  readonly key?: KeyObject | Uint8Array;
}

/**
 * A gateway on loopback, which lets browsers through to Gatehouse that have a session with it, and adds a JWT to their requests. It
 * also publishes the key of its JWTs.
 */
export interface Gateway {
  readonly issuer: string;
  /** Has a query of its own. */
  readonly jwtEndpoint: string;
  readonly keysEndpoint: string;
  /** Logs somebody in, and returns the header `cookie` of the session. */
  logIn(subject: string, claims?: object): string;
  /** Lets a browser with that cookie in at a URL of the gateway, and returns what Gatehouse answers. */
  visit(url: string, cookie: string, how?: { readonly method?: string }): Promise<GatewayAnswer>;
  /** Makes the JWT of somebody, good but for what the test says. */
  sign(subject: string, draft?: TokenDraft): Promise<string>;
  /** Answers with this in place of the JWK Set from now on; undefined: with the set again. */
  publish(answer: { readonly status?: number; readonly body?: string } | undefined): void;
  /** How often the keys were read. */
  keyReads(): number;
  /** What the gateway has forwarded last. */
  lastForwarded(): { readonly path: string; readonly token: string };
  /** Forwards to that origin from now on. */
  forwardTo(origin: string): void;
  stop(): void;
}

export interface GatewayAnswer {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

/** The path of Gatehouse to which gateways forward. */
const gatewayPath = "/ui/login/login/jwt/authorize";

interface GatewaySession {
  readonly subject: string;
  readonly claims: object;
}

/** Starts a gateway in front of the service at `origin`. */
export async function startGateway(
  origin: string,
  { clock, headerName }: { readonly clock: Pick<TestClock, "nowMs">; readonly headerName: string },
): Promise<Gateway> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const kid = randomUUID();
  const sessions = new Map<string, GatewaySession>();
  let target = origin;
  let keyReads = 0;
  let published: { readonly status?: number; readonly body?: string } | undefined;
  let forwarded = { path: "", token: "" };
  const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid, use: "sig" }] });

  const sign: Gateway["sign"] = async (subject, { claims = {}, header = {}, key = privateKey } = {}) => {
    const iat = Math.floor(clock.nowMs() / 1000);
    const payload = { iss: address(), sub: subject, iat, exp: iat + 300, ...claims } as JWTPayload; // a test may send anything
    const token = await new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid, ...header }).sign(key);
    canaries.add("JWT of a gateway", token);
    return token;
  };
  const forward = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const session = sessions.get(/gateway=[0-9a-f]+/.exec(incoming.headers.cookie ?? "")?.[0] ?? "");
    if (session === undefined) return answer.writeHead(401).end("log in at the gateway");
    const token = await sign(session.subject, { claims: session.claims });
    const { search } = new URL(incoming.url ?? "", target);
    forwarded = { path: `${gatewayPath}${search}`, token };
    const onward = request(`${target}${forwarded.path}`, {
      method: incoming.method,
      headers: { ...incoming.headers, [headerName]: `Bearer ${token}` },
    });
    onward.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      pipeline(response, answer, () => {});
    });
    onward.on("error", () => answer.destroy());
    return incoming.pipe(onward);
  };
  const server = createServer((incoming, answer) => {
    if (incoming.url !== "/keys") return void forward(incoming, answer);
    keyReads += 1;
    return answer.writeHead(published?.status ?? 200).end(published?.body ?? jwks);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer: address(),
    jwtEndpoint: `${address()}/sso?tenant=7`,
    keysEndpoint: `${address()}/keys`,
    logIn(subject, claims = {}) {
      const cookie = `gateway=${randomBytes(12).toString("hex")}`;
      sessions.set(cookie, { subject, claims });
      return cookie;
    },
    visit: (url, cookie, { method = "GET" } = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(url, { method, headers: { cookie } });
        sent.on("error", reject);
        sent.on("response", (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => {
            const { statusCode: status = 0, headers } = response;
            resolve({ status, location: headers.location ?? "", text: Buffer.concat(chunks).toString() });
          });
        });
        sent.end();
      }),
    sign,
    publish(answer) {
      published = answer;
    },
    keyReads: () => keyReads,
    lastForwarded: () => forwarded,
    forwardTo(other) {
      target = other;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
