import { defineTexts } from "../texts/language.ts";

const english = (one: string, many: string) => (count: string) => `${count} ${count === "1" ? one : many}`;
const german = english;

/** How many objects of a type go with a removal, by the names of the types in the answers. */
export const removedTexts = defineTexts(
  {
    application: english("application", "applications"),
    "application.key": english("key of an application", "keys of applications"),
    authorization: english("lasting sign-in of an application", "lasting sign-ins of applications"),
    identity_provider: english("identity provider", "identity providers"),
    label_policy: english("branding", "brandings"),
    login_policy: english("login policy", "login policies"),
    "login_policy.idp": english(
      "identity provider of a login policy",
      "identity providers of login policies",
    ),
    membership: english("membership", "memberships"),
    project: english("project", "projects"),
    "project.role": english("role", "roles"),
    project_grant: english("project grant", "project grants"),
    session: english("session", "sessions"),
    user: english("user", "users"),
    "user.idp_link": english("link to an identity provider", "links to identity providers"),
    "user.key": english("key of a service user", "keys of service users"),
    "user.passkey": english("passkey", "passkeys"),
    "user.recovery_codes": english("set of recovery codes", "sets of recovery codes"),
    "user.token": english("personal access token", "personal access tokens"),
    "user.totp": english("authenticator app", "authenticator apps"),
    "user.code_factor": english("second factor by code", "second factors by code"),
    "user.u2f": english("security key", "security keys"),
    user_grant: english("user grant", "user grants"),
  },
  {
    application: german("Anwendung", "Anwendungen"),
    "application.key": german("Schlüssel einer Anwendung", "Schlüssel von Anwendungen"),
    authorization: german("dauerhafte Anmeldung einer Anwendung", "dauerhafte Anmeldungen von Anwendungen"),
    identity_provider: german("Identitätsanbieter", "Identitätsanbieter"),
    label_policy: german("Erscheinungsbild", "Erscheinungsbilder"),
    login_policy: german("Anmelderegelung", "Anmelderegelungen"),
    "login_policy.idp": german(
      "Identitätsanbieter einer Anmelderegelung",
      "Identitätsanbieter von Anmelderegelungen",
    ),
    membership: german("Mitgliedschaft", "Mitgliedschaften"),
    project: german("Projekt", "Projekte"),
    "project.role": german("Rolle", "Rollen"),
    project_grant: german("Projektfreigabe", "Projektfreigaben"),
    session: german("Sitzung", "Sitzungen"),
    user: german("Benutzer", "Benutzer"),
    "user.idp_link": german(
      "Verknüpfung mit einem Identitätsanbieter",
      "Verknüpfungen mit Identitätsanbietern",
    ),
    "user.key": german("Schlüssel eines Dienstbenutzers", "Schlüssel von Dienstbenutzern"),
    "user.passkey": german("Passkey", "Passkeys"),
    "user.recovery_codes": german("Satz Wiederherstellungscodes", "Sätze Wiederherstellungscodes"),
    "user.token": german("persönliches Zugriffstoken", "persönliche Zugriffstokens"),
    "user.totp": german("Authenticator-App", "Authenticator-Apps"),
    "user.code_factor": german("zweiter Faktor per Code", "zweite Faktoren per Code"),
    "user.u2f": german("Sicherheitsschlüssel", "Sicherheitsschlüssel"),
    user_grant: german("Rollenzuweisung", "Rollenzuweisungen"),
  },
);
