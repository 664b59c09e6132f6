import type { JsonObject } from "@bufbuild/protobuf";
import { SignJWT } from "jose";
import { randomUUID } from "node:crypto";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { basic, clientAssertionType, keyPairs } from "../../sites/oidc/support/machine.ts";
import { pkce } from "../../sites/oidc/support/signed-in.ts";
import { type Finding, type Layout, toScope } from "./findings.ts";
import type { Purse } from "./purse.ts";
import type { App, World } from "./world.ts";

const prefix = "urn:zitadel:iam:org:project";
/** The scope of our own API. */
export const apiScope = `${prefix}:id:zitadel:aud`;

/** Everything about a user, and access that lasts. */
export const ofUserScope = `openid profile email phone groups offline_access urn:zitadel:iam:user:resourceowner ${prefix}s:roles`;

/** Returns everything that an application can ask for. */
export function richScope({ projects }: World): string {
  const audiences = Object.values(projects).map((id) => `${prefix}:id:${id}:aud`);
  return [ofUserScope, ...audiences, apiScope].join(" ");
}

/** Returns the form fields with which the actor authenticates as a client; undefined: the actor cannot. */
export async function authenticate(
  { ground }: World,
  purse: Purse,
  clientId: string,
): Promise<Readonly<Record<string, string>>> {
  const keyId = purse.keys.get(clientId);
  if (keyId !== undefined) {
    const now = Math.floor(ground.service.clock.nowMs() / 1000);
    const issuer = `http://localhost:${ground.service.port}`;
    const claims = { iss: clientId, sub: clientId, aud: issuer, iat: now, exp: now + 60, jti: randomUUID() };
    const header = { alg: "EdDSA", kid: keyId };
    const assertion = await new SignJWT(claims).setProtectedHeader(header).sign(keyPairs.EdDSA.privateKey);
    return { client_assertion_type: clientAssertionType, client_assertion: assertion };
  }
  const secret = purse.clients.get(clientId) ?? purse.machines.get(clientId);
  return secret === undefined ? { client_id: clientId } : { client_id: clientId, client_secret: secret };
}

/** Redeems a code as the actor can; empty when the actor cannot. */
export async function redeem(
  world: World,
  credentials: Readonly<Record<string, string>>,
  { code, redirectUri }: { readonly code: string; readonly redirectUri: string },
): Promise<JsonObject> {
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: pkce.verifier,
  };
  return await world.ground.post("/oauth/v2/token", { ...form, ...credentials });
}

/** Looks where a token reaches in our API. */
export async function reachOf(
  { ground }: World,
  layout: Layout,
  token: string,
  by: string,
): Promise<readonly Finding[]> {
  const answer = await ground.call(MembershipService.method.getMyPermissions, {}, { token });
  if (!answer.isDone) return [];
  const scopes = (answer.json["scopes"] ?? []) as readonly JsonObject[]; // by the contract
  return scopes.flatMap(({ permissions, ...where }) => {
    const [[field, id] = ["instance", ""]] = Object.entries(where);
    const kind = field === "instance" ? "instance" : field.replace(/Id$/, "");
    const scope = toScope(layout, kind, typeof id === "string" ? id : "");
    return (permissions as readonly string[]).map(
      (permission) => ({ kind: "reaches", permission, scope, by }) as const,
    );
  });
}

/** A token, and whose it is. */
export interface Shown {
  readonly token: string;
  readonly who: string;
  /** The project of the application that the token was given to. */
  readonly own: string;
  /** Of the service user that acts for itself. */
  readonly organizationId?: string;
}

/** Shows a token to the APIs of all projects but one, and returns those that take it, and with which roles. */
export async function passesFor(
  { ground, apis }: World,
  { token, who, own, organizationId }: Shown,
): Promise<readonly Finding[]> {
  const others = apis.filter(({ projectId }) => projectId !== own);
  const found = await Promise.all(
    others.map(async ({ projectId, clientId, secret }: App): Promise<readonly Finding[]> => {
      const answer = await ground.post("/oauth/v2/introspect", { token }, basic(clientId, secret));
      if (answer["active"] !== true) return [];
      const roles = answer[`${prefix}:${projectId}:roles`] ?? answer[`${prefix}:id:${projectId}:roles`] ?? {};
      return [{ kind: "passes for", who, projectId, roles: Object.keys(roles).join(" "), organizationId }];
    }),
  );
  return found.flat();
}
