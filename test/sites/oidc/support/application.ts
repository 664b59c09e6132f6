import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CreateOidcApplicationRequestSchema } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import {
  OidcAppType,
  OidcAuthMethodType,
  OidcGrantType,
  OidcTokenType,
} from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { SigningAlgorithm } from "../../../../gen/gatehouse/v1/signing_key_pb.ts";
import type { CallableService } from "../../../support/service.ts";
import { createOidcApplication, type LoginPlace } from "./login-place.ts";

/** An application that users log in to. */
export interface TestApplication {
  readonly clientId: string;
  /** Empty for one that does not authenticate. */
  readonly secret: string;
  readonly projectId: string;
  readonly redirectUri: string;
}

export const redirectUri = "https://app.example/callback?from=gatehouse";
export const afterLogout = "https://app.example/bye";

/** Creates an application with both grants: a server with a secret, unless the test says otherwise. */
export async function createApplication(
  service: CallableService,
  place: LoginPlace,
  settings: MessageInitShape<typeof CreateOidcApplicationRequestSchema> = {},
): Promise<TestApplication> {
  const { clientId, projectId, secret } = await createOidcApplication(service, place, {
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [afterLogout],
    grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN],
    appType: OidcAppType.WEB,
    authMethodType: OidcAuthMethodType.POST,
    accessTokenType: OidcTokenType.BEARER,
    signingAlgorithm: SigningAlgorithm.ES256,
    ...settings,
  });
  return {
    clientId,
    projectId,
    secret: secret ?? "",
    redirectUri: settings.redirectUris?.[0] ?? redirectUri,
  };
}
