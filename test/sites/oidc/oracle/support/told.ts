import { hash } from "node:crypto";
import { decodeJwt } from "jose";
import type { Field } from "../../support/user-agent.ts";
import { prove } from "./bases.ts";
import { type ClientName, endpointPaths, getCode, getTokens, type Party, redirectUris } from "./party.ts";

/** A login, and what is asked for in it. */
export interface Login {
  readonly client: ClientName;
  readonly scope: string;
  readonly more: readonly Field[];
}

/** Where something is told. */
export type Place = (typeof places)[number];
const places = [
  "token answer",
  "ID token",
  "answer to a refresh",
  "ID token of a refresh",
  "userinfo",
  "introspection of an access token",
  "introspection of a refresh token",
] as const;

type Claims = Readonly<Record<string, unknown>>;

/** What one party tells, by place. What must differ between any two parties, such as ids of sessions, is replaced by a word. */
export type Told = ReadonlyMap<Place, Claims>;

const additions: readonly (readonly Field[])[] = [[["nonce", "a nonce"]], [], [["max_age", "86400"]]];

/** Every login that both parties are asked to tell of. */
export const logins: readonly Login[] = (["basic", "post", "key"] as const).flatMap((client) =>
  ["openid profile email offline_access", "openid", "openid profile", "openid email"].flatMap((scope) =>
    additions.map((more) => ({ client, scope, more })),
  ),
);

/** Returns the name of a login. */
export function nameOf({ client, scope, more }: Login): string {
  return [client, scope, ...more.map((field) => field.join("="))].join(", ");
}

/** Logs in at a party, and gathers what it tells of that. */
export async function gather(party: Party, login: Login): Promise<Told> {
  const code = await getCode(party, [
    ["client_id", party.clients[login.client].id],
    ["response_type", "code"],
    ["redirect_uri", redirectUris[0]],
    ["scope", login.scope],
    ["state", "state"],
    ...login.more,
  ]);
  const given = await askForTokens(party, login.client, [
    ["grant_type", "authorization_code"],
    ["code", code],
    ["redirect_uri", redirectUris[0]],
  ]);
  const { access_token: accessToken = "", refresh_token: refreshToken } = given;
  const told = new Map<Place, Claims>([
    ["token answer", toAnswer(given)],
    ["ID token", readIdToken(party, given)],
    ["userinfo", await readUserinfo(party, accessToken)],
    ["introspection of an access token", await introspect(party, login.client, accessToken)],
  ]);
  if (refreshToken === undefined) return told;
  told.set("introspection of a refresh token", await introspect(party, login.client, refreshToken));
  const refreshed = await askForTokens(party, login.client, [
    ["grant_type", "refresh_token"],
    ["refresh_token", refreshToken],
  ]);
  told.set("answer to a refresh", toAnswer(refreshed));
  return told.set("ID token of a refresh", readIdToken(party, refreshed));
}

/** Something that two parties tell differently; undefined where one does not tell it. */
export interface ToldOtherwise {
  readonly place: Place;
  readonly claim: string;
  readonly reference: unknown;
  readonly gatehouse: unknown;
}

/** Lists what two parties tell differently, at the places where both tell something. */
export function compare(reference: Told, gatehouse: Told): readonly ToldOtherwise[] {
  return places.flatMap((place) => {
    const [left, right] = [reference.get(place), gatehouse.get(place)];
    if (left === undefined || right === undefined) return [];
    const claims = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return claims
      .filter((claim) => JSON.stringify(left[claim]) !== JSON.stringify(right[claim]))
      .map((claim) => ({ place, claim, reference: left[claim], gatehouse: right[claim] }));
  });
}

async function askForTokens(party: Party, name: ClientName, fields: readonly Field[]) {
  return await getTokens(
    party,
    await prove(party, name, { endpoint: "token", method: "POST", fields, headers: {} }),
  );
}

/** The tokens themselves are secrets, of which only their being there can be compared. */
function toAnswer(answer: Readonly<Record<string, string>>): Claims {
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, name.endsWith("_token") ? "a token" : value]),
  );
}

function readIdToken(party: Party, answer: Readonly<Record<string, string>>): Claims {
  const { id_token: idToken = "", access_token: accessToken = "" } = answer;
  const { at_hash: accessTokenHash, ...claims } = decodeJwt(idToken);
  const sum = hash("sha256", accessToken, "buffer");
  const isFitting = accessTokenHash === sum.subarray(0, sum.length / 2).toString("base64url");
  return {
    ...toComparable(party, claims),
    at_hash: isFitting ? "that of the access token" : accessTokenHash,
  };
}

async function readUserinfo(party: Party, accessToken: string): Promise<Claims> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const { text } = await party.send({ method: "GET", path: endpointPaths.userinfo, headers });
  return toComparable(party, JSON.parse(text) as Claims);
}

async function introspect(party: Party, name: ClientName, token: string): Promise<Claims> {
  const fields: readonly Field[] = [["token", token]];
  const request = await prove(party, name, { endpoint: "introspect", method: "POST", fields, headers: {} });
  return toComparable(party, await getTokens(party, request));
}

/** Instants are told from now on, in seconds. */
function toComparable(party: Party, claims: Claims): Claims {
  const nowSeconds = Math.floor(party.clock.nowMs() / 1000);
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => {
      if (value === party.issuer) return [name, "the issuer"];
      if (["sid", "jti"].includes(name)) return [name, typeof value];
      return ["iat", "exp", "nbf", "auth_time"].includes(name)
        ? [name, Number(value) - nowSeconds]
        : [name, value];
    }),
  );
}
