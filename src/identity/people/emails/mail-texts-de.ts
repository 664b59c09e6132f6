import type { MailTexts } from "./mail-texts.ts";

/** German. */
export const german: MailTexts = {
  verification: (code, minutes) => ({
    subject: "Bestätigen Sie Ihre E-Mail-Adresse",
    text: `Guten Tag

Ihr Bestätigungscode lautet ${code}. Er gilt ${minutes} Minuten lang.

Wenn Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren.
`,
  }),
  password: (link, minutes) => ({
    subject: "Legen Sie Ihr Passwort fest",
    text: `Guten Tag

Mit diesem Link legen Sie das Passwort Ihres Kontos fest. Er gilt ${minutes} Minuten lang und funktioniert einmal:

${link}

Wenn Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren: Nichts ändert sich, solange niemand den Link benutzt.
`,
  }),
};
