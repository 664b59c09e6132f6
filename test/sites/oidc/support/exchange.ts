import { OidcGrantType, OidcTokenType } from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import type { TestService } from "../../../support/service.ts";
import { createProject } from "../../../support/world.ts";
import { createApplication, type TestApplication } from "./application.ts";
import { credentialsOf } from "./signed-in.ts";
import { askForTokens, type Fields } from "./machine.ts";

export const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
export const tokenTypes = "urn:ietf:params:oauth:token-type:";

/** An application that acts for the users of others, in a project of its own. */
export async function createGateway(
  service: TestService,
  organizationId: string,
  settings: Parameters<typeof createApplication>[2] & { readonly roles?: readonly string[] } = {},
): Promise<TestApplication> {
  const { roles = [], ...more } = settings;
  const projectId = await createProject(service, organizationId, roles);
  const grantTypes = [OidcGrantType.TOKEN_EXCHANGE];
  return await createApplication(
    service,
    { organizationId, projectId },
    { redirectUris: [], grantTypes, ...more },
  );
}

export const jwtTokens = { accessTokenType: OidcTokenType.JWT };

/** The scope that makes a token one for the project of an application. */
export function scopeFor({ projectId }: Pick<TestApplication, "projectId">): string {
  return `urn:zitadel:iam:org:project:id:${projectId}:aud`;
}

/** Sends a request for an exchange, good but for what the test says. */
export function askForExchange(
  service: TestService,
  gateway: TestApplication,
  subjectToken: string,
  more: Fields = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const form: Fields = {
    grant_type: tokenExchange,
    subject_token: subjectToken,
    subject_token_type: `${tokenTypes}access_token`,
    ...credentialsOf(gateway),
    ...more,
  };
  return askForTokens(service, form, headers);
}

/** Exchanges a token, and returns the new one. Throws when it is refused. */
export async function exchange(...asked: Parameters<typeof askForExchange>): Promise<string> {
  const { status, json } = await askForExchange(...asked);
  if (status !== 200) throw new Error(`no exchange: ${JSON.stringify(json)}`);
  return String(json["access_token"]);
}

/** The parameters that name an actor. */
export function actorOf(token: string) {
  return { actor_token: token, actor_token_type: `${tokenTypes}access_token` };
}
