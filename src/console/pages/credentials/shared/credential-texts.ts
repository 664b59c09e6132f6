import { defineTexts } from "../../../texts/language.ts";

/** The texts that the pages of credentials share. */
export const credentialTexts = defineTexts(
  {
    own: {
      text: "This is you. Change the ways you sign in on your account page.",
      link: "To your account",
    },
    wrongKind: {
      title: "There is nothing of this kind here",
      text: "People have passwords and sessions, service users have keys and secrets.",
    },
    lostTitle: "The secret cannot be shown again",
    makeAnother: "Make another one",
    created: "Created",
    expires: "Expires",
    never: "never",
    expired: (date: string) => `expired on ${date}`,
  },
  {
    own: {
      text: "Das sind Sie. Womit Sie sich anmelden, ändern Sie in Ihrem Konto.",
      link: "Zu Ihrem Konto",
    },
    wrongKind: {
      title: "Davon gibt es hier nichts",
      text: "Personen haben Passwörter und Sitzungen, Dienstbenutzer Schlüssel und Geheimnisse.",
    },
    lostTitle: "Das Geheimnis lässt sich nicht nochmals zeigen",
    makeAnother: "Ein neues erstellen",
    created: "Erstellt",
    expires: "Läuft ab",
    never: "nie",
    expired: (date) => `am ${date} abgelaufen`,
  },
);
