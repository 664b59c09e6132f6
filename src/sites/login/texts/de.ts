import { withNames } from "../markup/html.ts";
import type { Texts } from "./texts.ts";

/** German. */
export const de: Texts = {
  language: "de",
  instanceName: "Gatehouse",
  continue: "Weiter",
  cancel: "Abbrechen",
  back: "Zurück zur Anwendung",
  otherWay: "Anders anmelden",
  toAccount: "Zu Ihrem Konto",
  handOver: "Wenn nichts von selbst geschieht, wählen Sie „Weiter“.",
  requestId: (id) => `Anfrage ${id}`,
  password: {
    title: "Anmelden",
    lead: (application) => withNames`weiter zu ${application}`,
    username: "Benutzername",
    password: "Passwort",
    submit: "Anmelden",
    wrong: "Benutzername oder Passwort ist falsch. Bitte beides prüfen und noch einmal versuchen.",
    paused: "Das waren zu viele Versuche. Bitte eine Weile warten und dann noch einmal versuchen.",
    or: "oder",
    nothing: "Zurzeit kann sich hier niemand anmelden. Bitte beim Betreiber der Anwendung nachfragen.",
  },
  identityProviders: { google: "Mit Google anmelden" },
  account: {
    title: "Konto wählen",
    lead: (application) => withNames`weiter zu ${application}`,
    use: (name) => withNames`Weiter als ${name}`,
    another: "Anderes Konto verwenden",
  },
  confirm: {
    title: (application) => withNames`Weiter zu ${application}?`,
    lead: ({ application, organization }) =>
      withNames`${application} gehört zu ${organization}. Das ist nicht Ihre Organisation.`,
    leadHome: ({ application, organization }) => withNames`${application} gehört zu ${organization}.`,
    more: "Diese Anwendung möchte mehr, als Sie ihr bisher erlaubt haben.",
    isNew: "Neu:",
    told: "Die Anwendung erfährt:",
    claims: {
      identity: "Ihren Benutzernamen und eine Kennung Ihres Kontos",
      profile: "Ihren Namen",
      email: "Ihre E-Mail-Adresse",
      phone: "Ihre Telefonnummer",
      roles: "Ihre Rollen im Projekt der Anwendung",
      "other-roles": "Ihre Rollen in den Projekten unten",
      organization: "Ihre Organisation",
    },
    offline: "all das auch dann, wenn Sie nicht angemeldet sind, bis zu 90 Tage lang",
    audiences: "In Ihrem Namen nutzt sie auch:",
    project: ({ project, organization }) =>
      withNames`${project} von ${organization}; es erfährt dasselbe über Sie`,
    api: "diesen Dienst selbst, mit allem, was Sie hier dürfen",
  },
  securityKey: {
    needsScript:
      "Diese Seite braucht JavaScript, weil Browser Sicherheitsschlüssel nur Skripten zugänglich machen. Bitte einschalten und die Seite neu laden.",
    waiting: "Bitte den Sicherheitsschlüssel berühren …",
    failed:
      "Der Sicherheitsschlüssel hat nicht geantwortet. Bitte prüfen, ob er eingesteckt ist, und noch einmal versuchen.",
    unsupported:
      "Dieser Browser unterstützt keine Sicherheitsschlüssel. Bitte einen anderen Browser verwenden.",
    name: "Name des Sicherheitsschlüssels",
    defaultName: "Sicherheitsschlüssel",
  },
  passkey: {
    title: "Mit Passkey anmelden",
    lead: "Ihr Gerät fragt nach Fingerabdruck, Gesicht oder PIN. Hier ist nichts einzugeben.",
    neededLead: "Für diese Anmeldung reicht ein Passwort nicht. Ihr Passkey genügt.",
    button: "Passkey verwenden",
    another: "Anders anmelden",
    needsScript:
      "Diese Seite braucht JavaScript, weil Browser Passkeys nur Skripten zugänglich machen. Bitte einschalten und die Seite neu laden.",
    waiting: "Bitte den Schritten folgen, die der Browser zeigt …",
    failed:
      "Es wurde kein Passkey verwendet. Bitte prüfen, ob es auf diesem Gerät oder einem anderen in Reichweite einen gibt. Dann noch einmal versuchen.",
    unsupported: "Dieser Browser unterstützt keine Passkeys. Bitte einen anderen Browser verwenden.",
    wrong: "Der Passkey wurde nicht akzeptiert. Bitte einen anderen verwenden oder anders anmelden.",
    paused: "Es waren zu viele Versuche. Bitte eine Weile warten und noch einmal versuchen.",
  },
  secondFactor: {
    title: "Sicherheitsschlüssel verwenden",
    lead: "Bitte einstecken oder ans Gerät halten und berühren, sobald er blinkt.",
    button: "Sicherheitsschlüssel verwenden",
    wrong:
      "Der Sicherheitsschlüssel wurde nicht angenommen. Bitte noch einmal versuchen, mit einem, der hier eingetragen ist.",
    paused: "Das waren zu viele Versuche. Bitte 15 Minuten warten und dann noch einmal versuchen.",
  },
  otherFactor: {
    U2F: "Stattdessen Sicherheitsschlüssel verwenden",
    TOTP: "Stattdessen Authenticator-App verwenden",
    RECOVERY_CODE: "Wiederherstellungscode verwenden",
  },
  totp: {
    title: "Code eingeben",
    lead: "Bitte die Authenticator-App öffnen und den Code eingeben, den sie für dieses Konto anzeigt.",
    code: "Code",
    submit: "Weiter",
    wrong:
      "Der Code ist falsch oder wurde schon verwendet. Bitte den nächsten Code abwarten und diesen eingeben.",
  },
  recoveryCode: {
    title: "Wiederherstellungs\u00ADcode verwenden",
    lead: "Bitte einen der Codes eingeben, die Sie aufbewahrt haben. Jeder Code gilt einmal.",
    code: "Wiederherstellungscode",
    submit: "Weiter",
    wrong:
      "Der Wiederherstellungscode ist falsch oder wurde schon verwendet. Bitte prüfen oder einen anderen eingeben.",
  },
  newTotp: {
    title: "Authenticator\u2011App hinzufügen",
    lead: "Zur Anmeldung ist ein zweiter Faktor nötig. Eine App auf Ihrem Telefon erzeugt dafür Codes.",
    scan: "Bitte dieses Bild mit der App scannen.",
    picture: "QR-Code für Ihre Authenticator-App",
    secret: "Falls sich das Bild nicht scannen lässt, bitte diesen Schlüssel in die App eingeben:",
    code: "Code, den die App anzeigt",
    submit: "App hinzufügen",
    wrong: "Der Code ist falsch. Bitte den nächsten Code der App abwarten und diesen eingeben.",
    expired: "Das hat zu lange gedauert. Bitte das Konto aus der App entfernen und das neue Bild scannen.",
  },
  newFactor: {
    title: "Sicherheitsschlüssel hinzufügen",
    lead: "Zur Anmeldung ist ein zweiter Faktor nötig. Bitte einen Sicherheitsschlüssel einstecken und berühren, sobald er blinkt.",
    button: "Sicherheitsschlüssel hinzufügen",
    wrong: "Der Sicherheitsschlüssel wurde nicht angenommen. Bitte noch einmal versuchen.",
    taken: "Dieser Sicherheitsschlüssel ist schon eingetragen. Bitte einen anderen verwenden.",
    impossible:
      "Zur Anmeldung ist ein zweiter Faktor nötig, aber hier lässt sich keiner eintragen. Bitte bei der Administration Ihrer Organisation nachfragen.",
  },
  reviewFactors: {
    title: "Gehört das Ihnen?",
    lead: "Sie haben neue Rechte, und jemand anderes hat diese Anmeldewege für Sie eingerichtet. Bitte jeden entfernen, den auch andere benutzen könnten.",
    kinds: {
      U2F: "Sicherheitsschlüssel",
      TOTP: "Authenticator-App",
      RECOVERY_CODES: "Wiederherstellungscodes",
      PASSKEY: "Passkey",
    },
    added: (day) => `Eingerichtet am ${day}`,
    identity: ({ provider, identity }) =>
      identity === "" ? withNames`Konto bei ${provider}` : withNames`Konto ${identity} bei ${provider}`,
    keep: "Behalten",
    remove: "Entfernen",
    missing: "Bitte für jeden Anmeldeweg wählen, ob er bleiben oder entfernt werden soll.",
  },
  newPassword: {
    title: "Neues Passwort wählen",
    lead: "Ihr Passwort hat jemand anderes gewählt. Bitte eines wählen, das nur Sie kennen.",
    current: "Bisheriges Passwort",
    password: "Neues Passwort",
    repeated: "Neues Passwort wiederholen",
    submit: "Passwort setzen",
    wrong: "Das bisherige Passwort ist falsch. Bitte noch einmal versuchen.",
    paused: "Das waren zu viele Versuche. Bitte eine Weile warten und dann noch einmal versuchen.",
    rules: {
      min_length: (least) => `Das neue Passwort braucht mindestens ${least} Zeichen.`,
      max_length: () => "Das neue Passwort darf höchstens 200 Zeichen haben.",
      personal: () =>
        "Das neue Passwort darf nicht Ihr Benutzername, Ihre E-Mail-Adresse oder Ihr Name sein.",
      common: () =>
        "Dieses Passwort ist leicht zu erraten. Bitte nicht aus Namen, gängigen Wörtern, Tastenreihen oder Jahren bilden.",
      breached: () => "Dieses Passwort ist aus einem Datenleck bekannt. Bitte ein anderes wählen.",
      not_repeated: () =>
        "Die beiden neuen Passwörter stimmen nicht überein. Bitte zweimal dasselbe eingeben.",
      same: () => "Das neue Passwort ist das bisherige. Bitte ein anderes wählen.",
    },
  },
  forgottenPassword: {
    link: "Passwort vergessen?",
    title: "Passwort vergessen?",
    lead: "Bitte den Benutzernamen eingeben. Sie bekommen eine E\u2011Mail mit einem Link, über den Sie ein neues Passwort wählen.",
    submit: "Link senden",
    paused: "Das waren zu viele Anfragen. Bitte eine Weile warten und dann noch einmal versuchen.",
    sentTitle: "Bitte im Postfach nachsehen",
    sent: "Wenn es ein Konto mit diesem Benutzernamen und einer bestätigten E-Mail-Adresse gibt, ist ein Link dorthin unterwegs. Er gilt 30 Minuten lang.",
    sentHint:
      "Nichts angekommen? Bitte im Spam-Ordner nachsehen oder bei der Administration Ihrer Organisation nachfragen.",
    back: "Zurück zur Anmeldung",
  },
  resetPassword: {
    title: "Passwort wählen",
    lead: "Mit diesem Passwort melden Sie sich künftig an. Auf allen anderen Geräten werden Sie abgemeldet.",
    code: "Code",
    submit: "Passwort setzen",
    wrong: "Der Link oder der Code ist falsch, abgelaufen oder schon verwendet. Bitte einen neuen anfordern.",
    doneTitle: "Ihr Passwort ist gesetzt",
    done: "Sie können diese Seite schließen und sich dort anmelden, wo Sie möchten.",
  },
  newIdentity: {
    title: "Sie haben hier noch kein Konto",
    lead: ({ provider, identity }) =>
      identity === ""
        ? withNames`Sie haben sich mit ${provider} angemeldet.`
        : withNames`Sie haben sich mit ${provider} als ${identity} angemeldet.`,
    noneTitle: "Sie haben hier kein Konto",
    none: ({ provider, identity }) =>
      identity === ""
        ? withNames`Ihr Konto bei ${provider} ist mit keinem Konto hier verbunden. Bitte bei der Administration nachfragen.`
        : withNames`Ihr Konto ${identity} bei ${provider} ist mit keinem Konto hier verbunden. Bitte bei der Administration nachfragen.`,
    link: "Bei meinem Konto anmelden",
    linkTitle: "Haben Sie hier ein Konto?",
    linkHint: "Sie scheinen schon ein Konto zu haben. Melden Sie sich einmal dort an, um beide zu verbinden.",
    linkUnknown:
      "Damit ist hier kein Konto verbunden. Wenn Sie eines haben, melden Sie sich einmal dort an, um beide zu verbinden. Wenn nicht, bitte bei der Administration nachfragen.",
    linkInstead: "Mit meinem Konto hier verbinden",
    create: "Neues Konto anlegen",
    missing: "Ein neues Konto braucht noch:",
    taken: "Der Benutzername Ihres neuen Kontos ist schon vergeben. Bitte einen anderen wählen.",
    another: "Anders anmelden",
  },
  linkIdentity: {
    title: (provider) => withNames`Ihr Konto mit ${provider} verbinden?`,
    lead: ({ provider, identity, username }) =>
      withNames`Sie könnten sich dann als ${username} auch mit Ihrem Konto ${identity !== "" && withNames`${identity} `}bei ${provider} anmelden.`,
    notTheirs: ({ provider, username }) =>
      withNames`Sie haben sich als ${username} angemeldet. Dieses Konto lässt sich mit dem bei ${provider} nicht verbinden, es wurde nichts geändert.`,
    full: ({ provider, username }) =>
      withNames`Sie haben sich als ${username} angemeldet. Dieses Konto ist schon mit so vielen anderen verbunden wie möglich und wurde darum nicht mit dem bei ${provider} verbunden. Bitte zuerst eine Verbindung trennen.`,
    link: "Verbinden",
    skip: "Ohne Verbindung weiter",
    without: "Ohne Verbindung anmelden",
  },
  ownFactor: {
    title: "Das genügt nicht zur Anmeldung",
    lead: "Sie haben eine Rolle außerhalb Ihrer eigenen Organisation. Für diese Art der Anmeldung brauchen Sie darum einen zweiten Faktor dieses Dienstes. Bitte anders anmelden und einen einrichten.",
  },
  firstPassword: {
    password: "Passwort",
    repeated: "Passwort wiederholen",
    atLeast: (minLength) => `Mindestens ${minLength} Zeichen`,
  },
  profile: {
    username: "Benutzername",
    givenName: "Vorname",
    familyName: "Nachname",
    email: "E-Mail-Adresse",
    faults: {
      username: "Bitte einen Benutzernamen mit höchstens 200 sichtbaren Zeichen eingeben.",
      username_taken: "Diesen Benutzernamen gibt es schon. Bitte einen anderen wählen.",
      given_name: "Bitte einen Vornamen mit höchstens 200 sichtbaren Zeichen eingeben.",
      family_name: "Bitte einen Nachnamen mit höchstens 200 sichtbaren Zeichen eingeben.",
      email: "Bitte eine E-Mail-Adresse wie ada@example.com eingeben.",
    },
  },
  register: {
    title: "Konto anlegen",
    lead: (application) => withNames`weiter zu ${application}`,
    submit: "Konto anlegen",
    paused:
      "Aus Ihrem Netz kamen zu viele Anfragen nach einem Konto. Bitte eine Stunde warten und dann noch einmal versuchen.",
    hasAccount: "Haben Sie schon ein Konto?",
    signIn: "Anmelden",
    hasNone: "Neu hier?",
    link: "Konto anlegen",
  },
  setup: {
    title: "Das erste Konto für die Verwaltung",
    lead: "Das neue Konto darf in dieser Installation alles.",
    submit: "Konto anlegen",
    opensPolicy:
      "Nach der Anmelderegelung dieses Dienstes reicht ein Passwort für die Verwaltung nicht aus. Mit diesem Konto sind Passwörter wieder für alle erlaubt, für die die Regelung gilt. Danach können Sie die Regelung wieder ändern.",
    goneTitle: "Dieser Link gilt nicht mehr",
    gone: "Er wurde schon verwendet, ist abgelaufen oder nicht vollständig. Der Befehl „setup link“ von Gatehouse erzeugt einen neuen.",
    factorLead:
      "Sie sind angemeldet. Fügen Sie jetzt einen Sicherheitsschlüssel hinzu, damit ein Passwort allein nicht zur Verwaltung genügt.",
    totpLead:
      "Sie sind angemeldet. Richten Sie jetzt eine Authenticator-App ein, damit ein Passwort allein nicht zur Verwaltung genügt.",
    skip: "Jetzt nicht",
    doneTitle: "Alles ist eingerichtet",
    done: "Das neue Konto kann sich anmelden. Sie können diese Seite schließen.",
  },
  device: {
    codeTitle: "Gerät verbinden",
    codeLead: "Bitte den Code eingeben, den Ihr Gerät anzeigt.",
    code: "Code",
    wrong:
      "Dieser Code ist falsch, wurde schon verwendet oder ist abgelaufen. Bitte prüfen oder am Gerät neu beginnen.",
    paused:
      "Aus Ihrem Netz kamen zu viele falsche Codes. Bitte 15 Minuten warten und dann noch einmal versuchen.",
    title: (application) => withNames`Auf einem Gerät bei ${application} anmelden?`,
    lead: ({ application, organization }) =>
      withNames`${application} gehört zu ${organization} und bittet darum auf einem Gerät, das diesen Code anzeigt:`,
    own: "Bitte nur zulassen, wenn Sie den Code auf Ihrem eigenen Gerät sehen. Hat Ihnen jemand den Code oder einen Link geschickt, wählen Sie „Abbrechen“: Sonst wird diese Person mit Ihrem Konto angemeldet.",
    account: (username) => withNames`Sie sind hier als ${username} angemeldet.`,
    allow: "Zulassen",
    ends: {
      allowed: {
        title: "Ihr Gerät ist angemeldet",
        sentence: "Sie können zu Ihrem Gerät zurückgehen und diese Seite schließen.",
      },
      canceled: {
        title: "Nichts wurde zugelassen",
        sentence: "Das Gerät ist nicht angemeldet. Sie können diese Seite schließen.",
      },
      "no-access": {
        title: "Sie dürfen diese Anwendung nicht benutzen",
        sentence: "Das Gerät ist nicht angemeldet. Zugang bekommen Sie vom Betreiber der Anwendung.",
      },
      gone: {
        title: "Dieser Code gilt nicht mehr",
        sentence: "Er wurde schon verwendet oder ist abgelaufen. Bitte am Gerät neu beginnen.",
      },
    },
  },
  logout: {
    title: "Abmelden?",
    lead: "Das beendet Ihre Sitzung in diesem Browser.",
    submit: "Abmelden",
    goingOn: "Sie werden abgemeldet",
    done: { title: "Sie sind abgemeldet", sentence: "Sie können dieses Fenster schließen." },
    partial: {
      title: "Sie sind hier abgemeldet",
      sentence:
        "Bei manchen Anwendungen sind Sie vielleicht noch angemeldet. Melden Sie sich sicherheitshalber auch dort ab, oder schließen Sie Ihren Browser.",
    },
  },
  errors: {
    "bad-request": {
      title: "Das hat nicht geklappt",
      sentence: "Die Anfrage Ihres Browsers ist nicht lesbar. Bitte zurückgehen und noch einmal versuchen.",
    },
    "begin-again": {
      title: "Bitte neu beginnen",
      sentence:
        "Diese Anmeldung ist beendet oder wurde in einem anderen Browser begonnen. Bitte zur Anwendung zurückgehen und dort neu anmelden.",
    },
    "signed-in": {
      title: "Sie haben sich angemeldet",
      sentence:
        "Das Formular wurde zweimal gesendet, und das erste Mal hat genügt. Bitte zur Anwendung zurückgehen. Fragt sie noch einmal, bitte neu anmelden.",
    },
    refused: {
      title: "Sie haben sich nicht angemeldet",
      sentence:
        "Diese Anmeldung wurde abgebrochen. Für einen neuen Versuch bitte zur Anwendung zurückgehen und dort anmelden.",
    },
    "foreign-form": {
      title: "Das hat nicht geklappt",
      sentence:
        "Das Formular kam nicht von dieser Seite, darum wurde nichts getan. Bitte zur Anwendung zurückgehen und dort neu anmelden.",
    },
    "not-a-visit": {
      title: "Bitte diese Seite für sich öffnen",
      sentence:
        "In der Seite einer anderen Website geht es nicht. Bitte zur Anwendung zurückgehen und dort anmelden.",
    },
    "not-found": {
      title: "Hier ist nichts",
      sentence: "Bitte die Adresse prüfen und noch einmal versuchen.",
    },
    "bad-application-request": {
      title: "Diese Anmeldung kann nicht beginnen",
      sentence:
        "Die Anwendung hat eine ungültige Anfrage gesendet. Wer sie entwickelt, kann den Grund finden.",
    },
    "bad-logout-message": {
      title: "Diese Abmeldung kann nicht weitergehen",
      sentence:
        "Die Anwendung hat eine ungültige Nachricht geschickt. Vielleicht sind Sie noch angemeldet. Wer sie entwickelt, kann den Grund finden.",
    },
    "logout-over": {
      title: "Diese Abmeldung ist vorbei",
      sentence:
        "Sie ist beendet oder wurde in einem anderen Browser begonnen. Bitte zur Anwendung zurückgehen und nachsehen, ob Sie abgemeldet sind.",
    },
    "unknown-application": {
      title: "Diese Anmeldung kann nicht beginnen",
      sentence: "Die Anwendung ist hier nicht bekannt. Wer sie entwickelt, kann den Grund finden.",
    },
    "unregistered-redirect": {
      title: "Diese Anmeldung kann nicht beginnen",
      sentence:
        "Die Anwendung will Sie an eine Adresse schicken, die für sie nicht eingetragen ist. Wer sie entwickelt, kann den Grund finden.",
    },
    "inactive-application": {
      title: "Diese Anwendung ist abgeschaltet",
      sentence: "Zurzeit kann sich dort niemand anmelden. Bitte beim Betreiber nachfragen.",
    },
    "wrong-application-settings": {
      title: "Diese Anmeldung kann nicht beginnen",
      sentence: "Die Einstellungen der Anwendung lassen das nicht zu. Bitte beim Betreiber nachfragen.",
    },
    "provider-off": {
      title: "Diese Art der Anmeldung ist abgeschaltet",
      sentence: "Bitte anders anmelden oder beim Betreiber der Anwendung nachfragen.",
    },
    "no-account": {
      title: "Mit diesem Konto können Sie sich nicht anmelden",
      sentence: "Damit darf sich hier niemand anmelden. Bitte bei der Administration nachfragen.",
    },
    "link-in-question": {
      title: "Dieses Konto muss erst bestätigt werden",
      sentence:
        "Jemand anders hat es mit Ihrem Konto hier verbunden. Bitte anders anmelden und sagen, ob es Ihres ist, oder bei der Administration nachfragen.",
    },
    "provider-denied": {
      title: "Sie sind nicht angemeldet",
      sentence:
        "Sie haben abgebrochen, oder der andere Dienst lässt Sie nicht hinein. Bitte noch einmal versuchen oder anders anmelden.",
    },
    "provider-refused": {
      title: "Sie sind nicht angemeldet",
      sentence:
        "Die Antwort des anderen Dienstes ist ungültig. Bitte noch einmal versuchen oder beim Betreiber der Anwendung nachfragen.",
    },
    "provider-login-old": {
      title: "Eine neue Anmeldung ist nötig",
      sentence:
        "Der andere Dienst hat Sie nicht neu angemeldet oder sagt nicht, wann das war. Bitte dort abmelden und noch einmal versuchen oder anders anmelden.",
    },
    "provider-unavailable": {
      title: "Dort können Sie sich zurzeit nicht anmelden",
      sentence:
        "Der andere Dienst antwortet nicht. Bitte in ein paar Minuten noch einmal versuchen oder anders anmelden.",
    },
    "wrong-verb": {
      title: "Das hat nicht geklappt",
      sentence: "Diese Adresse lässt sich so nicht verwenden. Bitte zurückgehen und noch einmal versuchen.",
    },
    "too-large": {
      title: "Das war zu groß",
      sentence: "Bitte zurückgehen und es mit kürzeren Eingaben noch einmal versuchen.",
    },
    "too-many-requests": {
      title: "Hier ist gerade viel los",
      sentence: "Bitte einen Moment warten und dann noch einmal versuchen. Es wurde nichts getan.",
    },
    unavailable: {
      title: "Zurzeit nicht möglich",
      sentence: "Bitte einen Moment warten und dann noch einmal versuchen.",
    },
    fault: {
      title: "Etwas ist schiefgegangen",
      sentence:
        "Der Fehler liegt bei uns. Bitte später noch einmal versuchen oder dem Betreiber dieses Dienstes Bescheid geben.",
    },
  },
};
