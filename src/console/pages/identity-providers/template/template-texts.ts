import { defineTexts } from "../../../texts/language.ts";

/** The texts of identity providers that are known beforehand. */
export const templateTexts = defineTexts(
  {
    ourSideLead:
      "Register this address at the provider, as a redirect URI (also called callback URL, reply URL or return URL).",
    callback: "Redirect URI",
    fields: {
      clientId: "Client ID",
      clientSecret: "Client secret",
      tenants: "Tenants",
      baseUrl: "Address",
      teamId: "Team ID",
      privateKeyId: "Key ID",
      privateKey: "Private key",
    },
    hints: {
      clientId: "What the provider calls this service. At Apple: the identifier of the Services ID.",
      clientSecret: "From the provider. It is stored encrypted and never shown again.",
      tenants:
        "IDs of the tenants whose people may sign in, one per line. * alone: people of any tenant and anybody with a personal account, who then get no account here by themselves.",
      baseUrl:
        "Of an installation of your own, or of a national cloud, without a slash at the end. Empty: the address that everybody knows. With another one the former links of users hold no longer.",
      teamId: "Ten letters and digits, from your membership at Apple.",
      privateKeyId: "Ten letters and digits, of the key below.",
      privateKey: "The content of the file AuthKey_….p8. It is stored encrypted and never shown again.",
    },
    kept: "Leave it empty to keep the stored one.",
    again: "The address has changed. The stored secret is not sent there: enter the one for the new address.",
  },
  {
    ourSideLead:
      "Tragen Sie diese Adresse beim Anbieter als Redirect-URI ein (auch Callback-URL, Antwort-URL oder Return-URL genannt).",
    callback: "Redirect-URI",
    fields: {
      clientId: "Client-ID",
      clientSecret: "Client-Secret",
      tenants: "Mandanten",
      baseUrl: "Adresse",
      teamId: "Team-ID",
      privateKeyId: "Schlüssel-ID",
      privateKey: "Privater Schlüssel",
    },
    hints: {
      clientId: "Wie der Anbieter diesen Dienst nennt. Bei Apple: der Bezeichner der Services ID.",
      clientSecret: "Vom Anbieter. Es wird verschlüsselt gespeichert und nie wieder gezeigt.",
      tenants:
        "IDs der Mandanten, deren Personen sich anmelden dürfen, je eine Zeile. Nur *: Personen aller Mandanten und alle mit einem privaten Konto, die dann hier nicht von selbst ein Konto bekommen.",
      baseUrl:
        "Einer eigenen Installation oder einer nationalen Cloud, ohne Schrägstrich am Ende. Leer: die allgemein bekannte Adresse. Mit einer anderen gelten frühere Verknüpfungen nicht mehr.",
      teamId: "Zehn Buchstaben und Ziffern, aus Ihrer Mitgliedschaft bei Apple.",
      privateKeyId: "Zehn Buchstaben und Ziffern, des Schlüssels unten.",
      privateKey:
        "Der Inhalt der Datei AuthKey_….p8. Er wird verschlüsselt gespeichert und nie wieder gezeigt.",
    },
    kept: "Leer lassen, damit das Gespeicherte bleibt.",
    again:
      "Die Adresse ist eine andere. Das gespeicherte Secret wird nicht dorthin gesendet: Geben Sie das ein, das zu ihr gehört.",
  },
);
