/**
 * Signatures in the compact form of JWS (RFC 7515 §7.1), by Node alone: a library on Web Crypto takes twice the processor time to
 * sign, and twice to four times to verify. They are made and verified outside of the event loop, but for those that take no longer
 * than handing them to another thread.
 */
import { constants, type KeyObject, sign, verify } from "node:crypto";
import { promisify } from "node:util";
import type { ClientAlgorithm } from "./jws.ts";

/** What an algorithm does besides needing keys of a kind. The hash is undefined where it has its own. */
interface Scheme {
  readonly hash: string | undefined;
  readonly isPss?: true;
  /** To sign takes 20 to 30 µs, a tenth of what RSA takes, and as long as waking a thread and hearing of it. */
  readonly signsAtOnce?: true;
}

const schemes: Readonly<Record<ClientAlgorithm, Scheme>> = {
  RS256: { hash: "sha256" },
  RS384: { hash: "sha384" },
  RS512: { hash: "sha512" },
  PS256: { hash: "sha256", isPss: true },
  PS384: { hash: "sha384", isPss: true },
  PS512: { hash: "sha512", isPss: true },
  ES256: { hash: "sha256", signsAtOnce: true },
  ES384: { hash: "sha384" },
  EdDSA: { hash: undefined, signsAtOnce: true },
  Ed25519: { hash: undefined, signsAtOnce: true },
};

const signInPool = promisify(sign);
const verifyInPool = promisify(verify);

/** Signs a payload. The header is `alg`, and what else is given. The key must be one of the algorithm. */
export async function signCompact(
  payload: object,
  how: {
    readonly algorithm: ClientAlgorithm;
    readonly header: Readonly<Record<string, string>>;
    readonly privateKey: KeyObject;
  },
): Promise<string> {
  const { algorithm, header, privateKey } = how;
  const input = [{ alg: algorithm, ...header }, payload].map(toPart).join(".");
  const { hash, signsAtOnce } = schemes[algorithm];
  const signing = [hash, Buffer.from(input), toKeyInput(privateKey, algorithm)] as const;
  const signature = signsAtOnce ? sign(...signing) : await signInPool(...signing);
  return `${input}.${signature.toString("base64url")}`;
}

/**
 * Says whether the key has signed a text in the compact form by that algorithm, which the caller has chosen: what the header says is
 * not looked at. The key must be one of the algorithm. Of a signature only the one spelling that encoders make is taken.
 */
export async function isSignedBy(
  text: string,
  { algorithm, publicKey }: { readonly algorithm: ClientAlgorithm; readonly publicKey: KeyObject },
): Promise<boolean> {
  const sent = text.slice(text.lastIndexOf(".") + 1);
  const signature = Buffer.from(sent, "base64url");
  if (signature.toString("base64url") !== sent) return false;
  const input = Buffer.from(signedPartOf(text));
  return await verifyInPool(schemes[algorithm].hash, input, toKeyInput(publicKey, algorithm), signature);
}

/** Returns the part of a text that its signature covers: header and payload. Anybody may be able to change the rest. */
export function signedPartOf(text: string): string {
  return text.slice(0, Math.max(0, text.lastIndexOf(".")));
}

function toKeyInput(key: KeyObject, algorithm: ClientAlgorithm) {
  const { isPss } = schemes[algorithm];
  // RFC 7518 §3.5: the salt is as long as the hash. §3.4: R and S one after the other.
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return { key, dsaEncoding: "ieee-p1363" as const, ...(isPss ? pss : {}) };
}

function toPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
