import { defineTexts } from "../../../texts/language.ts";

/** The texts of the settings of OIDC applications. Enums are called by their numbers. */
export const oidcTexts = defineTexts(
  {
    login: "Sign-in",
    redirectUris: "Redirect URIs",
    redirectUrisHint:
      "Addresses to send people back to after they have signed in, one per line. The application must send exactly one of these.",
    postLogoutRedirectUris: "Redirect URIs after sign-out",
    postLogoutRedirectUrisHint: "Addresses to send people to after they have signed out, one per line.",
    devMode: "Development mode",
    needsDevMode: "An address on this computer without https needs “Development mode”, below.",
    devModeHint:
      "Allows redirect URIs that are for development only, such as http://localhost. Not for production.",
    additionalOrigins: "Additional origins",
    additionalOriginsHint:
      "Origins of pages that call this service from the browser, one per line, such as https://app.example.com. Origins of redirect URIs need not be listed.",
    appType: "Where it runs",
    appTypes: {
      "1": "On a server",
      "2": "In the browser",
      "3": "On a device",
    },
    appTypeHints: {
      "1": "Can keep a secret.",
      "2": "A single-page application.",
      "3": "An app for a phone or a computer, a television, a command line.",
    },
    authentication: "Authentication",
    authMethodType: "How it authenticates",
    authMethods: {
      "1": "Client secret in the header (Basic)",
      "2": "Client secret in the body (Post)",
      "3": "Not at all (PKCE)",
      "4": "With a key (private_key_jwt)",
    },
    authMethodHints: {
      "1": "Recommended for applications on a server. The secret is accepted in the body, too.",
      "2": "For libraries that only know this way. The secret is accepted in the header, too.",
      "3": "For applications that cannot keep a secret. PKCE protects the code.",
      "4": "The application signs with its own key; no secret is sent. Add a key after you have saved.",
    },
    secretEnds: "When you save, the client secret ends at once.",
    requirePkce: "Require PKCE",
    requirePkceHint: "Even if the application authenticates. Switch it on if its library supports PKCE.",
    securityProfile: "Security profile",
    securityProfiles: { "1": "None", "2": "FAPI 2.0" },
    securityProfileHints: {
      "1": "The rules of OAuth 2.0 and OpenID Connect.",
      "2": "For banks, health and government: pushed requests, PKCE, tokens that are bound to a key (DPoP). It needs authentication with a key, and a signature by ES256 or EdDSA.",
    },
    notWithFapi: "FAPI 2.0 does not allow this.",
    requirePar: "Require pushed requests (PAR)",
    requireParHint:
      "The browser then only carries a reference to a request that the application has sent itself.",
    requireDpop: "Require tokens bound to a key (DPoP)",
    requireDpopHint: "A stolen access token is then useless without the key of the application.",
    grantTypes: "What it may ask for",
    grants: {
      "1": "Sign-in with a code",
      "2": "Refresh tokens",
      "3": "Sign-in on another device",
      "4": "Token exchange",
    },
    grantHints: {
      "1": "The usual sign-in in a browser (authorization_code).",
      "2": "Stays signed in without the person, if it asks for the scope offline_access (refresh_token).",
      "3": "For televisions and command lines: the person types a code elsewhere (device_code).",
      "4": "Exchanges tokens that it received for tokens for other APIs (token-exchange).",
    },
    responseType: "Response type",
    tokens: "Tokens",
    accessTokenType: "Access tokens",
    tokenTypes: { "1": "Opaque", "2": "JWT" },
    tokenTypeHints: {
      "1": "APIs ask this service whether they are valid. They can be revoked at any time.",
      "2": "APIs check the signature themselves. They stay valid until they expire.",
    },
    accessTokenRoleAssertion: "Roles in access tokens",
    accessTokenRoleAssertionHint: "Only in JWTs.",
    idTokenRoleAssertion: "Roles in ID tokens",
    idTokenUserinfoAssertion: "Profile in ID tokens",
    idTokenUserinfoAssertionHint: "ID tokens then contain everything that the userinfo endpoint returns.",
    groupsClaim: "Claim “groups”",
    groupsClaims: { "1": "Roles", "2": "Names of groups", "3": "Ids of groups" },
    groupsClaimHints: {
      "1": "The keys of the user's roles in the project.",
      "2": "The groups of this organization that the user is in, also by other groups.",
      "3": "Stay the same when a group gets another name.",
    },
    signingAlgorithm: "Signature",
    algorithms: { "1": "RS256 (RSA)", "2": "ES256 (P-256)", "3": "EdDSA (Ed25519)" },
    algorithmHint: "How ID tokens and JWTs are signed. Every library can check RS256.",
    signOut: "Sign-out and more",
    backChannelLogoutUri: "Back-channel logout URI",
    backChannelLogoutUriHint: "The https address that is notified when a user has signed out elsewhere.",
    apiAccess: "May call this API",
    apiAccessHint:
      "Its access tokens may be for the API of Gatehouse: it can then do whatever its users may do.",
    subject: "Users are named by (sub)",
    subjects: { "1": "Their id", "2": "Their id in another system" },
    subjectHints: {
      "1": "The id that is shown on the page of the user.",
      "2": "For an application that knew its users before they were moved here. Users without such an id are named by their id here.",
    },
    couldBeBetter: "Recommendations",
    problems: {
      DEV_MODE: "Development mode is on.",
      SECRET_OF_PUBLIC_CLIENT: "Anybody can extract the secret from an application that is not on a server.",
      REDIRECT_URI_LOCALHOST: "127.0.0.1 or [::1] is safer than localhost in a redirect URI.",
      REFRESH_TOKEN_WITHOUT_AUTHORIZATION_CODE:
        "Refresh tokens are allowed, but no allowed way to sign in gives one.",
      TOKEN_EXCHANGE_OF_PUBLIC_CLIENT: "Only an application that authenticates may exchange tokens.",
    },
  },
  {
    login: "Anmeldung",
    redirectUris: "Redirect-URIs",
    redirectUrisHint:
      "Wohin man nach der Anmeldung zurückkommt, eine pro Zeile. Die Anwendung muss genau eine davon senden.",
    postLogoutRedirectUris: "Redirect-URIs nach der Abmeldung",
    postLogoutRedirectUrisHint: "Wohin man nach der Abmeldung kommen darf, eine pro Zeile.",
    devMode: "Entwicklungsmodus",
    needsDevMode: "Eine Adresse auf diesem Rechner ohne https braucht den „Entwicklungsmodus“ weiter unten.",
    devModeHint:
      "Erlaubt Redirect-URIs, die nur zum Entwickeln taugen, zum Beispiel http://localhost. Nicht für den Betrieb.",
    additionalOrigins: "Weitere Origins",
    additionalOriginsHint:
      "Origins von Seiten, die diesen Dienst aus dem Browser aufrufen, eine pro Zeile, zum Beispiel https://app.example.com. Die der Redirect-URIs müssen hier nicht stehen.",
    appType: "Wo sie läuft",
    appTypes: {
      "1": "Auf einem Server",
      "2": "Im Browser",
      "3": "Auf einem Gerät",
    },
    appTypeHints: {
      "1": "Kann ein Geheimnis bewahren.",
      "2": "Eine Single-Page-Anwendung.",
      "3": "Eine App für Telefon oder Computer, ein Fernseher, eine Befehlszeile.",
    },
    authentication: "Authentifizierung",
    authMethodType: "Wie sie sich ausweist",
    authMethods: {
      "1": "Client-Geheimnis im Header (Basic)",
      "2": "Client-Geheimnis im Body (Post)",
      "3": "Gar nicht (PKCE)",
      "4": "Mit einem Schlüssel (private_key_jwt)",
    },
    authMethodHints: {
      "1": "Für Anwendungen auf einem Server empfohlen. Das Geheimnis wird auch im Body angenommen.",
      "2": "Für Bibliotheken, die nur diesen Weg kennen. Das Geheimnis wird auch im Header angenommen.",
      "3": "Für Anwendungen, die kein Geheimnis bewahren können. PKCE schützt den Code.",
      "4": "Die Anwendung signiert mit ihrem eigenen Schlüssel; kein Geheimnis wird gesendet. Fügen Sie nach dem Speichern einen Schlüssel hinzu.",
    },
    secretEnds: "Beim Speichern endet das Client-Geheimnis sofort.",
    requirePkce: "PKCE verlangen",
    requirePkceHint:
      "Auch wenn sich die Anwendung ausweist. Schalten Sie es ein, wenn ihre Bibliothek das kann.",
    securityProfile: "Sicherheitsprofil",
    securityProfiles: { "1": "Keines", "2": "FAPI 2.0" },
    securityProfileHints: {
      "1": "Die Regeln von OAuth 2.0 und OpenID Connect.",
      "2": "Für Banken, Gesundheit und Behörden: vorab gesendete Anfragen, PKCE, an einen Schlüssel gebundene Tokens (DPoP). Die Anwendung muss sich mit einem Schlüssel ausweisen; signiert wird mit ES256 oder EdDSA.",
    },
    notWithFapi: "Das erlaubt FAPI 2.0 nicht.",
    requirePar: "Vorab gesendete Anfragen (PAR) verlangen",
    requireParHint:
      "Der Browser bringt dann nur einen Verweis auf eine Anfrage, die die Anwendung selbst gesendet hat.",
    requireDpop: "An einen Schlüssel gebundene Tokens (DPoP) verlangen",
    requireDpopHint: "Ein gestohlenes Zugriffstoken ist dann ohne den Schlüssel der Anwendung nutzlos.",
    grantTypes: "Was sie verlangen darf",
    grants: {
      "1": "Anmeldung mit Code",
      "2": "Refresh-Tokens",
      "3": "Anmeldung auf einem anderen Gerät",
      "4": "Token-Tausch",
    },
    grantHints: {
      "1": "Die übliche Anmeldung im Browser (authorization_code).",
      "2": "Bleibt angemeldet, auch wenn niemand davor sitzt, falls sie den Scope offline_access verlangt (refresh_token).",
      "3": "Für Fernseher und Befehlszeilen: Man tippt einen Code anderswo ein (device_code).",
      "4": "Tauscht Tokens, die sie bekommen hat, gegen Tokens für andere APIs (token-exchange).",
    },
    responseType: "Antworttyp",
    tokens: "Tokens",
    accessTokenType: "Zugriffstokens",
    tokenTypes: { "1": "Undurchsichtig", "2": "JWT" },
    tokenTypeHints: {
      "1": "APIs fragen diesen Dienst, ob sie gültig sind. Man kann sie jederzeit widerrufen.",
      "2": "APIs prüfen die Signatur selbst. Sie gelten, bis sie ablaufen.",
    },
    accessTokenRoleAssertion: "Rollen in Zugriffstokens",
    accessTokenRoleAssertionHint: "Nur in JWTs.",
    idTokenRoleAssertion: "Rollen in ID-Tokens",
    idTokenUserinfoAssertion: "Profil in ID-Tokens",
    idTokenUserinfoAssertionHint: "ID-Tokens enthalten dann alles, was der Userinfo-Endpunkt antwortet.",
    groupsClaim: "Claim „groups“",
    groupsClaims: { "1": "Rollen", "2": "Namen von Gruppen", "3": "Ids von Gruppen" },
    groupsClaimHints: {
      "1": "Die Schlüssel der Rollen im Projekt.",
      "2": "Die Gruppen dieser Organisation, zu denen man gehört, auch über andere Gruppen.",
      "3": "Bleiben gleich, wenn eine Gruppe umbenannt wird.",
    },
    signingAlgorithm: "Signatur",
    algorithms: { "1": "RS256 (RSA)", "2": "ES256 (P-256)", "3": "EdDSA (Ed25519)" },
    algorithmHint: "Wie ID-Tokens und JWTs signiert werden. RS256 kann jede Bibliothek prüfen.",
    signOut: "Abmeldung und Weiteres",
    backChannelLogoutUri: "URI für Back-Channel-Logout",
    backChannelLogoutUriHint: "Wo die Anwendung erfährt, dass sich jemand anderswo abgemeldet hat. https.",
    apiAccess: "Darf diese API aufrufen",
    apiAccessHint:
      "Ihre Zugriffstokens dürfen für die API von Gatehouse sein: Sie kann dann alles, was ihre Benutzer dürfen.",
    subject: "Benutzer heißen (sub)",
    subjects: { "1": "Wie ihre Id", "2": "Wie ihre Id in einem anderen System" },
    subjectHints: {
      "1": "Die Id auf der Seite des Benutzers.",
      "2": "Für eine Anwendung, die ihre Benutzer kannte, bevor sie hierher kamen. Ohne eine solche Id gilt die Id von hier.",
    },
    couldBeBetter: "Das ginge besser",
    problems: {
      DEV_MODE: "Der Entwicklungsmodus ist eingeschaltet.",
      SECRET_OF_PUBLIC_CLIENT:
        "Aus einer Anwendung, die nicht auf einem Server läuft, kann jeder das Geheimnis herausnehmen.",
      REDIRECT_URI_LOCALHOST: "127.0.0.1 oder [::1] ist in einer Redirect-URI sicherer als localhost.",
      REFRESH_TOKEN_WITHOUT_AUTHORIZATION_CODE:
        "Refresh-Tokens sind erlaubt, aber keine erlaubte Art der Anmeldung ergibt eines.",
      TOKEN_EXCHANGE_OF_PUBLIC_CLIENT: "Nur eine Anwendung, die sich ausweist, darf Tokens tauschen.",
    },
  },
);

/** Returns the text for the number of an enum, or for another name; the name itself if there is none. */
export function textOf(texts: Readonly<Record<string, string>>, name: string): string {
  return texts[name] ?? name;
}

/** Returns options for the values, with the texts for them. */
export function toOptions(
  values: readonly string[],
  labels: Readonly<Record<string, string>>,
  hints: Readonly<Record<string, string>> = {},
): readonly { readonly value: string; readonly label: string; readonly hint?: string }[] {
  return values.map((value) => {
    const hint = hints[value];
    return { value, label: textOf(labels, value), ...(hint === undefined ? {} : { hint }) };
  });
}
