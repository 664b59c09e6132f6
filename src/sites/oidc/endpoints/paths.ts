import { consoleTokensPath } from "../../../identity/applications/oidc/console.ts";
import { devicePath } from "../device/path.ts";

/** Where each endpoint is, below the issuer. */
export const endpointPaths = {
  keys: "/oauth/v2/keys",
  authorization: "/oauth/v2/authorize",
  pushedAuthorization: "/oauth/v2/par",
  token: "/oauth/v2/token",
  consoleTokens: consoleTokensPath,
  introspection: "/oauth/v2/introspect",
  revocation: "/oauth/v2/revoke",
  deviceAuthorization: "/oauth/v2/device_authorization",
  device: devicePath,
  registration: "/oauth/v2/register",
  userinfo: "/oidc/v1/userinfo",
  endSession: "/oidc/v1/end_session",
} as const;
