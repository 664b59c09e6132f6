import type { Hook, HookKind } from "../hook/hook.ts";

const sub = "100000000000000001";
const clientId = "100000000000000002";

/** A made-up login of each kind. */
const samples: Readonly<Record<HookKind, Readonly<Record<string, unknown>>>> = {
  BEFORE_REGISTRATION: {
    project_id: "100000000000000003",
    application_id: clientId,
    username: "maria",
    email: "maria@example.com",
    email_verified: false,
    given_name: "Maria",
    family_name: "Rossi",
    display_name: "Maria Rossi",
    preferred_language: "en",
  },
  AFTER_EXTERNAL_LOGIN: {
    project_id: "100000000000000003",
    application_id: clientId,
    identity_provider_id: "100000000000000004",
    issuer: "https://idp.example.com",
    subject: "maria at the provider",
    user_id: sub,
    claims: { email: "maria@example.com", given_name: "Maria", family_name: "Rossi", department: "Sales" },
  },
  BEFORE_TOKEN: {
    project_id: "100000000000000003",
    application_id: clientId,
    protocol: "oidc",
    grant: "authorization_code",
    sub,
    scope: "openid profile",
    id_token: { sub, aud: clientId, auth_time: 1_767_225_600, amr: ["pwd"], preferred_username: "maria" },
    access_token: { sub, client_id: clientId, aud: [clientId], scope: "openid profile" },
  },
};

/** Returns the data with which a hook is tried out. They say that nobody logs in. */
export function sampleOf({
  kind,
  details,
}: Pick<Hook, "kind" | "details">): Readonly<Record<string, unknown>> {
  return { trial: true, organization_id: details.resourceOwner, ...samples[kind] };
}
