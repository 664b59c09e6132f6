import { definePage } from "../../routing/page-entry.ts";

/** The page of the keys that sign tokens and SAML messages. */
export const signingKeyPages = [
  definePage({
    pattern: "/signing-keys",
    title: { en: "Signing keys", de: "Signaturschlüssel" },
    permission: "signing_key.read",
    menu: "instance",
    load: async () => (await import("./signing-keys-page.tsx")).SigningKeysPage,
  }),
];
