import { defineTexts } from "../../texts/language.ts";

/** The texts of the page of signing keys. Enums are called by their numbers. */
export const signingKeyTexts = defineTexts(
  {
    title: "Signing keys",
    lead: "They sign tokens and SAML messages. Private keys never leave the service. Keys for tokens are replaced every 90 days; the key for SAML only by you.",
    id: "Key ID",
    use: "Signs",
    uses: { "1": "Tokens", "2": "SAML messages" },
    algorithms: { "1": "RS256", "2": "ES256", "3": "EdDSA" },
    state: "State",
    states: { "1": "Next", "2": "Signs now", "3": "Retired" },
    created: "Created",
    published: "Published until",
    certificate: "Certificate",
    certificateOf: (id: string) => `certificate of ${id}`,
    emptyTitle: "No keys yet",
    emptyText: "The first keys are made when they are needed.",
    rotateTokens: "Replace token keys",
    rotateSaml: "Replace SAML key",
    done: "The keys were replaced.",
    published1: "The new key is published.",
    how: "How",
    tokens: {
      gradual: "In a day",
      gradualHint:
        "New keys are published now and sign after 24 hours. Tokens that the old keys have signed stay valid until they expire. Users notice nothing.",
      revoke: "At once, and revoke the old ones",
      revokeHint:
        "For keys that may have been stolen. Every token that the old keys have signed is invalid from now on: applications and people have to sign in again.",
    },
    saml: {
      publish: "Publish a new key",
      publishHint:
        "Service providers read its certificate in our metadata, or get it from you. It does not sign yet. Come back after 24 hours at the earliest, and let it sign.",
      sign: "Let the new key sign",
      signHint: (date: string) =>
        `It was published on ${date}. It may sign 24 hours later. The old key stays published for 24 hours more.`,
      revoke: "At once, and revoke the old ones",
      revokeHint:
        "For keys that may have been stolen. Service providers that have not read our metadata since then refuse our messages: nobody can sign in to them.",
    },
    word: "REVOKE",
    confirm: (word: string) => `Type ${word} to confirm`,
    wrongWord: (word: string) => `Type ${word} here.`,
    rotate: "Replace",
  },
  {
    title: "Signaturschlüssel",
    lead: "Sie signieren Tokens und SAML-Nachrichten. Private Schlüssel verlassen den Dienst nie. Die für Tokens werden alle 90 Tage ersetzt, der für SAML nur, wenn Sie es wollen.",
    id: "Schlüssel-ID",
    use: "Signiert",
    uses: { "1": "Tokens", "2": "SAML-Nachrichten" },
    algorithms: { "1": "RS256", "2": "ES256", "3": "EdDSA" },
    state: "Zustand",
    states: { "1": "Nächster", "2": "Signiert jetzt", "3": "Abgelöst" },
    created: "Erstellt",
    published: "Veröffentlicht bis",
    certificate: "Zertifikat",
    certificateOf: (id) => `Zertifikat von ${id}`,
    emptyTitle: "Noch keine Schlüssel",
    emptyText: "Die ersten Schlüssel entstehen, wenn sie gebraucht werden.",
    rotateTokens: "Schlüssel für Tokens ersetzen",
    rotateSaml: "SAML-Schlüssel ersetzen",
    done: "Die Schlüssel wurden ersetzt.",
    published1: "Der neue Schlüssel ist veröffentlicht.",
    how: "Wie",
    tokens: {
      gradual: "In einem Tag",
      gradualHint:
        "Neue Schlüssel werden jetzt veröffentlicht und signieren nach 24 Stunden. Was die alten signiert haben, gilt, bis es abläuft. Niemand merkt etwas.",
      revoke: "Sofort, und die alten widerrufen",
      revokeHint:
        "Für Schlüssel, die andere haben könnten. Alle Tokens, die die alten signiert haben, sind dann ungültig: Anwendungen und Menschen müssen sich neu anmelden.",
    },
    saml: {
      publish: "Einen neuen Schlüssel veröffentlichen",
      publishHint:
        "Dienstanbieter lesen sein Zertifikat in unseren Metadaten oder bekommen es von Ihnen. Er signiert noch nicht. Kommen Sie frühestens nach 24 Stunden wieder, und lassen Sie ihn signieren.",
      sign: "Den neuen Schlüssel signieren lassen",
      signHint: (date) =>
        `Er wurde am ${date} veröffentlicht. Signieren darf er 24 Stunden danach. Der alte bleibt 24 Stunden länger veröffentlicht.`,
      revoke: "Sofort, und die alten widerrufen",
      revokeHint:
        "Für Schlüssel, die andere haben könnten. Dienstanbieter, die unsere Metadaten seither nicht gelesen haben, lehnen unsere Nachrichten ab: Niemand kann sich bei ihnen anmelden.",
    },
    word: "WIDERRUFEN",
    confirm: (word) => `Zur Bestätigung ${word} eintippen`,
    wrongWord: (word) => `Tippen Sie hier ${word} ein.`,
    rotate: "Ersetzen",
  },
);
