import { Code, ConnectError } from "@connectrpc/connect";
import { type CryptoKey, importJWK, importPKCS8, type JWK, type KeyObject, SignJWT } from "jose";

/** Where the access tokens of calls come from. */
export interface Tokens {
  /** Returns a token that is still valid for a while. `refused`: one that the service takes no longer. */
  get(origin: string, refused?: string): Promise<string>;
}

/** A token that somebody else keeps valid, such as a personal access token, or a function that returns one. */
export function staticToken(token: string | (() => string | Promise<string>)): Tokens {
  return { get: async () => (typeof token === "string" ? token : await token()) };
}

/** Asks for tokens with the id and the secret of a service user or an application (RFC 6749, section 4.4). */
export function clientCredentials(client: {
  readonly clientId: string;
  readonly clientSecret: string;
}): Tokens {
  const secret = [client.clientId, client.clientSecret].map((part) => encodeURIComponent(part)).join(":");
  return renewed((origin) => requestToken(origin, { authorization: `Basic ${btoa(secret)}` }, {}));
}

/** The file that AddServiceUserKey hands over (`key_details`), or one with a key of your own: PEM, or a JSON Web Key. */
export interface ServiceKey {
  readonly keyId: string;
  readonly userId: string;
  readonly key: string | JWK;
}

/**
 * Asks for tokens with a key of a service user, so that no secret travels (`private_key_jwt`, RFC 7523). In browsers the key is a JSON
 * Web Key with `alg`, or PKCS #8 of RSA.
 */
export function serviceKey(file: ServiceKey | string | Uint8Array): Tokens {
  const text = file instanceof Uint8Array ? new TextDecoder().decode(file) : file;
  const { keyId, userId, key } = typeof text === "string" ? (JSON.parse(text) as ServiceKey) : text;
  let ready: ReturnType<typeof readKey> | undefined;
  return renewed(async (origin) => {
    ready ??= readKey(key);
    const { alg, privateKey } = await ready;
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg, kid: keyId })
      .setIssuer(userId)
      .setSubject(userId)
      .setAudience(await readIssuer(origin))
      .setIssuedAt()
      .setExpirationTime("5 minutes")
      .setJti(crypto.randomUUID())
      .sign(privateKey);
    const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    return await requestToken(origin, {}, { client_assertion_type: type, client_assertion: assertion });
  });
}

interface ReadKey {
  readonly alg: string;
  readonly privateKey: CryptoKey | KeyObject | Uint8Array;
}

async function readKey(key: string | JWK): Promise<ReadKey> {
  if (typeof key !== "string") {
    const alg = key.alg ?? "RS256";
    return { alg, privateKey: await importJWK(key, alg) };
  }
  // The PEM of earlier formats is read by Node alone.
  const node = globalThis.process?.getBuiltinModule?.("node:crypto");
  if (node === undefined) return { alg: "RS256", privateKey: await importPKCS8(key, "RS256") };
  const privateKey = node.createPrivateKey(key);
  const curve = privateKey.asymmetricKeyDetails?.namedCurve;
  const algs: Readonly<Record<string, string>> = {
    ed25519: "EdDSA",
    ec: curve === "secp384r1" ? "ES384" : "ES256",
  };
  return { alg: algs[privateKey.asymmetricKeyType ?? ""] ?? "RS256", privateKey };
}

interface Granted {
  readonly token: string;
  /** When it ends, by the clock here. */
  readonly endMs: number;
}

/** So long before its end a token is replaced: its last call may take a while. */
const spareMs = 60_000;

/** Keeps a token until shortly before its end. Calls that wait for one wait for the same. */
function renewed(request: (origin: string) => Promise<Granted>): Tokens {
  let current: Promise<Granted> | undefined;
  return {
    async get(origin, refused) {
      const known = await current?.catch(() => undefined);
      if (known !== undefined && known.token !== refused && known.endMs - spareMs > Date.now())
        return known.token;
      // Somebody else may have asked meanwhile.
      const latest = await current?.catch(() => undefined);
      if (latest === known) current = request(origin);
      return (await (current ??= request(origin))).token;
    },
  };
}

/** The API of Gatehouse itself. */
const apiScope = "urn:zitadel:iam:org:project:id:zitadel:aud";

async function requestToken(
  origin: string,
  headers: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, string>>,
): Promise<Granted> {
  const form = { grant_type: "client_credentials", scope: apiScope, ...parameters };
  const { access_token: token, expires_in: seconds } = await readJson<{
    readonly access_token: string;
    readonly expires_in: number;
  }>(`${origin}/oauth/v2/token`, { method: "POST", headers, body: new URLSearchParams(form) });
  return { token, endMs: Date.now() + seconds * 1000 };
}

async function readIssuer(origin: string): Promise<string> {
  const { issuer } = await readJson<{ readonly issuer: string }>(
    `${origin}/.well-known/openid-configuration`,
  );
  return issuer;
}

/** Raises UNAUTHENTICATED for a refusal, and UNAVAILABLE where there is no answer, or one of a service that is overloaded. */
async function readJson<T>(url: string, init: RequestInit = {}): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
  } catch (error) {
    throw new ConnectError(`${url} does not answer`, Code.Unavailable, undefined, undefined, error);
  }
  const body = await answer.text();
  if (answer.ok) return JSON.parse(body) as T;
  const code = answer.status === 429 || answer.status >= 500 ? Code.Unavailable : Code.Unauthenticated;
  throw new ConnectError(`${url} answers ${answer.status}: ${body.slice(0, 1000)}`, code);
}
