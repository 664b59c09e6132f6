import type { NoticeTexts } from "./notice-texts.ts";

/** German. */
export const noticesInGerman: NoticeTexts = {
  locale: "de",
  subject: "Ihre Anmeldung wurde geändert",
  greeting: "Guten Tag\n\nDas hat sich an Ihrem Konto geändert:",
  changes: {
    password_added: "Ein Passwort wurde festgelegt",
    password_changed: "Das Passwort wurde geändert",
    password_removed: "Das Passwort wurde entfernt",
    passkey_added: "Ein Passkey wurde hinzugefügt",
    passkey_removed: "Ein Passkey wurde entfernt",
    security_key_added: "Ein Sicherheitsschlüssel wurde als zweiter Faktor hinzugefügt",
    security_key_removed: "Ein Sicherheitsschlüssel wurde entfernt",
    authenticator_app_added: "Eine Authenticator-App wurde als zweiter Faktor hinzugefügt",
    authenticator_app_removed: "Eine Authenticator-App wurde entfernt",
    recovery_codes_added: "Wiederherstellungscodes wurden erstellt",
    recovery_codes_replaced: "Neue Wiederherstellungscodes haben die bisherigen ersetzt",
    recovery_codes_removed: "Die Wiederherstellungscodes wurden entfernt",
    recovery_code_used: "Ein Wiederherstellungscode wurde für eine Anmeldung benutzt",
    provider_link_added:
      "Das Konto wurde mit einem Identitätsanbieter verknüpft, über den man sich anmelden kann",
    provider_link_removed: "Die Verknüpfung mit einem Identitätsanbieter wurde entfernt",
    username_changed: "Der Benutzername wurde geändert",
    email_changed:
      "Die E-Mail-Adresse wurde geändert; bis dahin war es die Adresse, an die diese E-Mail ging",
    email_removed:
      "Die E-Mail-Adresse wurde entfernt; bis dahin war es die Adresse, an die diese E-Mail ging",
    personal_access_token_added: "Ein persönliches Zugriffstoken wurde erstellt",
    personal_access_token_removed: "Ein persönliches Zugriffstoken wurde entfernt",
  },
  at: (date) => `${date} (UTC)`,
  byAccount: (remoteAddress) =>
    remoteAddress === undefined
      ? "Von jemandem mit Ihrem Konto"
      : `Von jemandem mit Ihrem Konto, unter der Adresse ${remoteAddress}`,
  byAdministrator: (name) =>
    name === undefined ? "Durch die Administration" : `Durch die Administration, unter dem Namen ${name}`,
  byService: "Durch den Dienst selbst",
  more: (count) => (count === 1 ? "Und eine weitere Änderung." : `Und ${count} weitere Änderungen.`),
  expected: "Wenn Sie das selbst waren oder davon wissen, müssen Sie nichts tun.",
  unexpected:
    "Wenn nicht, prüfen Sie jetzt Ihr Konto: Ändern Sie das Passwort, entfernen Sie, was Sie nicht kennen, und beenden Sie alle anderen Sitzungen.",
  lockedOut:
    "Wenn Sie sich nicht mehr anmelden können, wenden Sie sich an die Administration Ihrer Organisation.",
};
