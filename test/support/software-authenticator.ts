import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { type CertificateChoices, selfSignedCertificate } from "./attestation-certificate.ts";

/** The part of the options of RegisterU2f that an authenticator reads. */
export interface CreationOptions {
  readonly publicKey: { readonly rp: { readonly id: string }; readonly challenge: string };
}

/** What a WebAuthn client answers (WebAuthn §5.1, RegistrationResponseJSON). */
export interface RegistrationResponseJson {
  id: string;
  rawId: string;
  type: string;
  response: { clientDataJSON: string; attestationObject: string };
}

export type SoftwareFormat = "none" | "packed" | "packed-x5c" | "fido-u2f";

/** How the answer is made, and what is to be wrong with it. Nothing given: a good answer of the format `none`. */
export interface RegistrationChoices {
  readonly format?: SoftwareFormat;
  /** Default: `http://localhost:3000` for localhost, else https on the relying party id. */
  readonly origin?: string;
  /** Fields of the client data to replace: `challenge`, `type`, `crossOrigin`, … */
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** The relying party id that is hashed into the authenticator data. */
  readonly rpId?: string;
  /** Default: 0x41, user present and credential attached. */
  readonly flags?: number;
  /** Default: 16 random bytes. */
  readonly credentialId?: Uint8Array;
  readonly hasWrongSignature?: boolean;
  /** The pair of the credential. Default: a new one, whose private key is forgotten. */
  readonly keys?: KeyPair;
  /** The name of the format that is written, whatever the statement. */
  readonly writtenFormat?: string;
  /** Replaces the COSE key. */
  readonly publicKey?: Uint8Array;
  /** How the certificate of `packed-x5c` and `fido-u2f` is made. */
  readonly certificate?: CertificateChoices;
  /** The `alg` of packed, whatever signs. */
  readonly algorithm?: number;
  /** Changes the client data, the statement, the authenticator data or the attestation object before it is wrapped. */
  readonly clientDataJson?: (bytes: Uint8Array) => Uint8Array;
  readonly statement?: (statement: Map<string, unknown>) => Map<string, unknown>;
  readonly authenticatorData?: (bytes: Uint8Array) => Uint8Array;
  readonly attestationObject?: (bytes: Uint8Array) => Uint8Array;
  /** How binary values are written. Default: base64url. */
  readonly encoding?: "base64url" | "base64";
}

/** An ES256 pair. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The flags of a new passkey, or of its answer without 0x40: the user was present and verified, and it may be copied. */
export const passkeyFlags = 0x4d;

/** Makes the pair of a credential. */
export function makeKeyPair(): KeyPair {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

/**
 * Answers a registration as a security key and a browser would, with a new ES256 key. For tests and the demo: the private
 * key is forgotten at once.
 */
export function registerInSoftware(
  options: CreationOptions,
  choices: RegistrationChoices = {},
): RegistrationResponseJson {
  const { rp, challenge } = options.publicKey;
  const origin = choices.origin ?? (rp.id === "localhost" ? "http://localhost:3000" : `https://${rp.id}`);
  const clientData = {
    type: "webauthn.create",
    challenge,
    origin,
    crossOrigin: false,
    ...choices.clientData,
  };
  const json = Buffer.from(JSON.stringify(clientData));
  const clientDataJson = choices.clientDataJson?.(json) ?? json;
  const keys = choices.keys ?? makeKeyPair();
  const credentialId = choices.credentialId ?? new Uint8Array(randomBytes(16));
  const rpIdHash = sha256(Buffer.from(choices.rpId ?? rp.id));
  const plain = authenticatorData({
    rpIdHash,
    flags: choices.flags ?? 0x41,
    credentialId,
    publicKey: choices.publicKey ?? cosePublicKey(keys.publicKey),
  });
  const data = choices.authenticatorData?.(plain) ?? plain;
  const statement = attestationStatement(choices.format ?? "none", {
    signed: Buffer.concat([data, sha256(clientDataJson)]),
    signedByU2f: Buffer.concat([
      Buffer.of(0),
      rpIdHash,
      sha256(clientDataJson),
      credentialId,
      rawPoint(keys.publicKey),
    ]),
    keys,
    choices,
  });
  const object = encodeCbor(
    new Map<string, unknown>([
      ["fmt", choices.writtenFormat ?? (choices.format ?? "none").replace("-x5c", "")],
      ["attStmt", choices.statement?.(statement) ?? statement],
      ["authData", data],
    ]),
  );
  const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString(choices.encoding ?? "base64url");
  return {
    id: encode(credentialId),
    rawId: encode(credentialId),
    type: "public-key",
    response: {
      clientDataJSON: encode(clientDataJson),
      attestationObject: encode(choices.attestationObject?.(object) ?? object),
    },
  };
}

/** The part of the options of a login that an authenticator reads. */
export interface AssertionOptions {
  readonly rpId: string;
  readonly challenge: string;
}

/** What a WebAuthn client answers at a login (WebAuthn §5.1, AuthenticationResponseJSON). */
export interface AssertionResponseJson {
  id: string;
  rawId: string;
  type: string;
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | null;
  };
}

/** The credential that answers, and what is to be wrong with the answer. */
export interface AssertionChoices
  extends Pick<
    RegistrationChoices,
    "origin" | "clientData" | "rpId" | "flags" | "hasWrongSignature" | "clientDataJson" | "encoding"
  > {
  readonly keys: KeyPair;
  readonly credentialId: Uint8Array;
  /** Default: 1. */
  readonly counter?: number;
  readonly authenticatorData?: (bytes: Uint8Array) => Uint8Array;
  readonly signature?: (bytes: Uint8Array) => Uint8Array;
  readonly userHandle?: string | null;
}

/** Answers a login as a security key and a browser would. */
export function assertInSoftware(
  options: AssertionOptions,
  choices: AssertionChoices,
): AssertionResponseJson {
  const { rpId, challenge } = options;
  const origin = choices.origin ?? (rpId === "localhost" ? "http://localhost:3000" : `https://${rpId}`);
  const clientData = { type: "webauthn.get", challenge, origin, crossOrigin: false, ...choices.clientData };
  const json = Buffer.from(JSON.stringify(clientData));
  const clientDataJson = choices.clientDataJson?.(json) ?? json;
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(choices.counter ?? 1);
  const plain = Buffer.concat([
    sha256(Buffer.from(choices.rpId ?? rpId)),
    Buffer.of(choices.flags ?? 0x01),
    counter,
  ]);
  const data = choices.authenticatorData?.(plain) ?? plain;
  const signed = [data, sha256(clientDataJson), Buffer.alloc(choices.hasWrongSignature === true ? 1 : 0)];
  const signature = sign("sha256", Buffer.concat(signed), choices.keys.privateKey);
  const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString(choices.encoding ?? "base64url");
  const { userHandle } = choices;
  return {
    id: encode(choices.credentialId),
    rawId: encode(choices.credentialId),
    type: "public-key",
    response: {
      clientDataJSON: encode(clientDataJson),
      authenticatorData: encode(data),
      signature: encode(choices.signature?.(signature) ?? signature),
      ...(userHandle === undefined ? {} : { userHandle }),
    },
  };
}

/** Writes canonical CBOR (CTAP2 §8) of integers, texts, bytes, arrays and maps in the order given. */
export function encodeCbor(value: unknown): Uint8Array {
  if (typeof value === "number") return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === "string")
    return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([cborHead(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([cborHead(4, value.length), ...value.map(encodeCbor)]);
  if (value instanceof Map) {
    const entries = [...value].flatMap(([key, item]) => [encodeCbor(key), encodeCbor(item)]);
    return Buffer.concat([cborHead(5, value.size), ...entries]);
  }
  throw new Error(`this encoder does not know ${typeof value}`);
}

/** Writes the COSE key (RFC 9053) of an ES256 public key. */
export function cosePublicKey(key: KeyObject): Uint8Array {
  const { x, y } = coordinates(key);
  return encodeCbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, x],
      [-3, y],
    ]),
  );
}

function authenticatorData(parts: {
  rpIdHash: Uint8Array;
  flags: number;
  credentialId: Uint8Array;
  publicKey: Uint8Array;
}): Uint8Array {
  const idLength = Buffer.alloc(2);
  idLength.writeUInt16BE(parts.credentialId.length);
  const counter = Buffer.alloc(4);
  const aaguid = Buffer.alloc(16);
  return new Uint8Array(
    Buffer.concat([
      parts.rpIdHash,
      Buffer.of(parts.flags),
      counter,
      aaguid,
      idLength,
      parts.credentialId,
      parts.publicKey,
    ]),
  );
}

function attestationStatement(
  format: SoftwareFormat,
  input: {
    signed: Uint8Array;
    signedByU2f: Uint8Array;
    keys: { privateKey: KeyObject; publicKey: KeyObject };
    choices: RegistrationChoices;
  },
): Map<string, unknown> {
  const { choices } = input;
  const alg = choices.algorithm ?? -7;
  const hash = alg === -35 ? "sha384" : "sha256";
  const spoil = (bytes: Uint8Array) =>
    choices.hasWrongSignature === true ? Buffer.concat([bytes, Buffer.of(0)]) : bytes;
  switch (format) {
    case "none":
      return new Map();
    case "packed":
      return new Map<string, unknown>([
        ["alg", alg],
        ["sig", sign("sha256", spoil(input.signed), input.keys.privateKey)],
      ]);
    case "packed-x5c": {
      const attester = selfSignedCertificate(choices.certificate);
      return new Map<string, unknown>([
        ["alg", alg],
        ["sig", sign(hash, spoil(input.signed), attester.privateKey)],
        ["x5c", [attester.certificate]],
      ]);
    }
    case "fido-u2f": {
      const attester = selfSignedCertificate(choices.certificate);
      return new Map<string, unknown>([
        ["sig", sign("sha256", spoil(input.signedByU2f), attester.privateKey)],
        ["x5c", [attester.certificate]],
      ]);
    }
  }
}

function cborHead(majorType: number, argument: number): Uint8Array {
  const first = majorType << 5;
  if (argument < 24) return Buffer.of(first | argument);
  if (argument < 2 ** 8) return Buffer.of(first | 24, argument);
  const [width, marker] = argument < 2 ** 16 ? [2, 25] : [4, 26];
  const head = Buffer.alloc(1 + width);
  head[0] = first | marker;
  head.writeUIntBE(argument, 1, width);
  return head;
}

function coordinates(key: KeyObject): { x: Uint8Array; y: Uint8Array } {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return { x: Buffer.from(x, "base64url"), y: Buffer.from(y, "base64url") };
}

function rawPoint(key: KeyObject): Uint8Array {
  const { x, y } = coordinates(key);
  return Buffer.concat([Buffer.of(4), x, y]);
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}
