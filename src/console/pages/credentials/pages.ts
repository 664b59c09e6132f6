import { definePage } from "../../routing/page-entry.ts";

/** The pages of what users sign in with and what programs use, as tabs of a user. */
export const credentialPages = [
  definePage({
    pattern: "/orgs/:organization/users/:user/sign-in",
    title: { en: "Sign-in", de: "Anmeldung" },
    permission: "user.read",
    tab: "human",
    load: async () => (await import("./sign-in/sign-in-page.tsx")).SignInMethodsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/:user/sessions",
    title: { en: "Sessions", de: "Sitzungen" },
    permission: "session.read",
    tab: "human",
    load: async () => (await import("./sessions/user-sessions-page.tsx")).UserSessionsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/:user/keys",
    title: { en: "Keys and secret", de: "Schlüssel und Geheimnis" },
    permission: "user.read",
    tab: "service",
    load: async () => (await import("./programs/service-keys-page.tsx")).ServiceKeysPage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/:user/tokens",
    title: { en: "Access tokens", de: "Zugriffstokens" },
    permission: "user.read",
    tab: "user",
    load: async () => (await import("./programs/user-tokens-page.tsx")).UserTokensPage,
  }),
];
