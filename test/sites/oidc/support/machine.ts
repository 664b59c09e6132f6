import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";
import { KeyType } from "../../../../gen/gatehouse/v1/key_pb.ts";
import { OidcTokenType } from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { SigningAlgorithm } from "../../../../gen/gatehouse/v1/signing_key_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { canaries } from "../../../support/canaries.ts";
import type { HttpAnswer } from "../../../support/http-client.ts";
import type { CallableService, TestService } from "../../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../../support/world.ts";

/** A program with a service user of its own. */
export interface Machine {
  /** Its id as a client, too. */
  readonly userId: string;
  readonly secret: string;
  readonly key: MachineKey;
}

/** A key that a service user has, with its private half. */
export interface MachineKey {
  readonly keyId: string;
  readonly algorithm: string;
  readonly privateKey: KeyObject;
}

/** The scope that makes an access token one for our own API. */
export const apiScope = "urn:zitadel:iam:org:project:id:zitadel:aud";
export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const clientAssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

let rsa: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | undefined;

/** The pairs of keys of a test file: making one of RSA takes longer than a hundred requests, so few files do. */
export const keyPairs = {
  get RS256() {
    return (rsa ??= generateKeyPairSync("rsa", { modulusLength: 2048 }));
  },
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ES384: generateKeyPairSync("ec", { namedCurve: "P-384" }),
  EdDSA: generateKeyPairSync("ed25519"),
} as const;

/** Makes a service user with a secret and a key. */
export async function createMachine(
  service: CallableService,
  organizationId: string,
  how: {
    readonly tokens?: "BEARER" | "JWT";
    readonly signing?: "RS256" | "ES256" | "EDDSA";
    readonly algorithm?: keyof typeof keyPairs;
  } = {},
): Promise<Machine> {
  const { tokens = "BEARER", signing = "ES256", algorithm = "ES256" } = how;
  const user = await createCaller(service, organizationId)(UserService.method.addServiceUser, {
    username: uniqueName("machine"),
    name: "Machine",
    accessTokenType: OidcTokenType[tokens],
    signingAlgorithm: SigningAlgorithm[signing],
  });
  const userId = idOf(user, "userId");
  const made = await service.call(UserService.method.generateServiceUserSecret, { userId });
  const key = await addKey(service, userId, algorithm);
  return { userId, secret: idOf(made, "clientSecret"), key };
}

/** Adds a key whose private half the test has. It expires at an instant in whole seconds; default: never. */
export async function addKey(
  service: CallableService,
  userId: string,
  algorithm: keyof typeof keyPairs,
  expirationMs?: number,
): Promise<MachineKey> {
  const { publicKey, privateKey } = keyPairs[algorithm];
  const pem = publicKey.export({ format: "pem", type: "spki" });
  const added = await service.call(UserService.method.addServiceUserKey, {
    userId,
    type: KeyType.JSON,
    publicKey: Buffer.from(pem),
    ...(expirationMs === undefined
      ? {}
      : { expirationDate: { seconds: BigInt(expirationMs / 1000), nanos: 0 } }),
  });
  return { keyId: idOf(added, "keyId"), algorithm, privateKey };
}

/** Signs an assertion, good but for what the test says: a claim that is undefined is left out. */
export async function signAssertion(
  service: TestService,
  { userId, key }: Machine,
  wrong: {
    readonly claims?: object;
    readonly header?: object;
    readonly privateKey?: KeyObject | Uint8Array;
  } = {},
): Promise<string> {
  const now = Math.floor(service.clock.nowMs() / 1000);
  const claims = {
    iss: userId,
    sub: userId,
    aud: issuerOf(service),
    iat: now,
    exp: now + 60,
    jti: randomUUID(),
    ...wrong.claims,
  } as JWTPayload; // a test may send anything
  const header = { alg: key.algorithm, kid: key.keyId, ...wrong.header };
  const text = await new SignJWT(claims).setProtectedHeader(header).sign(wrong.privateKey ?? key.privateKey);
  canaries.add("assertion", text);
  return text;
}

/** Returns the issuer of a service in local mode. */
export function issuerOf(service: TestService): string {
  return `http://localhost:${service.port}`;
}

/** The parameters of a request: one with several values is sent several times. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Writes parameters as a form, or as the query of a URL. */
export function toForm(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(pairs).toString();
}

/** Sends a form to an endpoint. */
export function postForm(
  service: TestService,
  path: string,
  form: Fields | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> {
  const body = typeof form === "string" ? form : toForm(form);
  return service.http.send({
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body,
  });
}

/** Asks for tokens, and notes those that come as secrets. */
export async function askForTokens(
  service: TestService,
  form: Fields | string,
  headers: Readonly<Record<string, string>> = {},
) {
  const { status, headers: answered, text } = await postForm(service, "/oauth/v2/token", form, headers);
  const json = JSON.parse(text) as Readonly<Record<string, unknown>>;
  for (const name of ["access_token", "id_token", "refresh_token"])
    if (typeof json[name] === "string") canaries.add(name, json[name]);
  if (status !== 200) canaries.noteReceived(text);
  return { status, headers: answered, json, error: json["error"] };
}

/** Gets an access token with the secret. */
export async function getAccessToken(
  service: TestService,
  machine: Machine,
  scope = apiScope,
): Promise<string> {
  const { status, json } = await askForTokens(service, { ...bySecret(machine), scope });
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(json)}`);
  return String(json["access_token"]);
}

/** The form of client_credentials with client_secret_post. */
export function bySecret({ userId, secret }: Machine) {
  return { grant_type: "client_credentials", client_id: userId, client_secret: secret };
}

/** The form of client_credentials with private_key_jwt. */
export function byAssertion(assertion: string) {
  return {
    grant_type: "client_credentials",
    client_assertion_type: clientAssertionType,
    client_assertion: assertion,
  };
}

/** The header of client_secret_basic. */
export function basic(id: string, secret: string): { readonly authorization: string } {
  const text = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
}
