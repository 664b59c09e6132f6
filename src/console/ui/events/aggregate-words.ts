import { defineTexts } from "../../texts/language.ts";

/** The names of the kinds of objects that events are about. */
export const aggregateWords = defineTexts(
  {
    organization: "Organization",
    membership: "Membership",
    identity_provider: "Identity provider",
    user: "User",
    project: "Project",
    project_grant: "Project grant",
    user_grant: "User grant",
    application: "Application",
    signing_key: "Signing key",
    session: "Session",
    authorization: "Authorization",
    login_policy: "Login policy",
    label_policy: "Branding",
    custom_texts: "Texts",
  },
  {
    organization: "Organisation",
    membership: "Mitgliedschaft",
    identity_provider: "Identitätsanbieter",
    user: "Benutzer",
    project: "Projekt",
    project_grant: "Projektfreigabe",
    user_grant: "Rollenzuweisung",
    application: "Anwendung",
    signing_key: "Signaturschlüssel",
    session: "Sitzung",
    authorization: "Autorisierung",
    login_policy: "Anmelderegelung",
    label_policy: "Erscheinungsbild",
    custom_texts: "Texte",
  },
);
