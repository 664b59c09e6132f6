import { defineTexts } from "../../../texts/language.ts";

/** The texts of OIDC identity providers. */
export const oidcProviderTexts = defineTexts(
  {
    ourSideLead:
      "Register this address at the provider, as a redirect URI. The provider gives you the client ID and the secret.",
    callback: "Redirect URI",
    issuer: "Issuer",
    issuerHint:
      "The address of the provider, such as https://accounts.google.com. Its other addresses are found below it.",
    clientId: "Client ID",
    clientIdHint: "What the provider calls this service.",
    clientSecret: "Client secret",
    clientSecretHint: "From the provider. It is stored encrypted and never shown again.",
    clientSecretAgainHint:
      "The issuer has changed. The stored secret is not sent there: enter the secret for the new issuer.",
    scopes: "Scopes",
    scopesHint: "What to ask the provider for, one per line. Empty: openid, profile and email.",
    usernameMapping: "Username of new accounts",
    displayNameMapping: "Display name of new accounts",
    mappings: {
      "0": "The name that the provider gives",
      "1": "The username at the provider (preferred_username)",
      "2": "The email",
    },
    secretKept: "A client secret is stored. It is never shown.",
    replace: "Replace the secret",
    replaceTitle: "Replace the client secret",
    replaceText:
      "The stored secret is destroyed. The provider must know the new one, or nobody can sign in with it.",
    replaced: "The client secret was replaced.",
  },
  {
    ourSideLead:
      "Tragen Sie diese Adresse beim Anbieter als Redirect-URI ein. Er gibt Ihnen die Client-ID und das Secret.",
    callback: "Redirect-URI",
    issuer: "Issuer",
    issuerHint:
      "Die Adresse des Anbieters, etwa https://accounts.google.com. Seine anderen Adressen werden darunter gefunden.",
    clientId: "Client-ID",
    clientIdHint: "Wie der Anbieter diesen Dienst nennt.",
    clientSecret: "Client-Secret",
    clientSecretHint: "Vom Anbieter. Es wird verschlüsselt gespeichert und nie wieder gezeigt.",
    clientSecretAgainHint:
      "Der Issuer ist ein anderer. Das gespeicherte Secret wird nicht dorthin gesendet: Geben Sie das ein, das zu ihm gehört.",
    scopes: "Scopes",
    scopesHint: "Worum der Anbieter gebeten wird, je eine Zeile. Leer: openid, profile und email.",
    usernameMapping: "Benutzername neuer Konten",
    displayNameMapping: "Anzeigename neuer Konten",
    mappings: {
      "0": "Was der Anbieter an Namen nennt",
      "1": "Der Benutzername beim Anbieter (preferred_username)",
      "2": "Die E-Mail-Adresse",
    },
    secretKept: "Ein Client-Secret ist gespeichert. Es wird nie gezeigt.",
    replace: "Secret ersetzen",
    replaceTitle: "Das Client-Secret ersetzen",
    replaceText:
      "Das gespeicherte Secret wird vernichtet. Der Anbieter muss das neue kennen, sonst kann sich niemand damit anmelden.",
    replaced: "Das Client-Secret wurde ersetzt.",
  },
);
