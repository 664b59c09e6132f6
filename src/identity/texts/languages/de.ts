import type { WordsLike } from "./words.ts";
import type { english } from "./en.ts";

/** German. */
export const german: WordsLike<typeof english> = {
  login: {
    continue: "Weiter",
    cancel: "Abbrechen",
    back: "Zurück zur Anwendung",
    otherWay: "Anders anmelden",
    toAccount: "Zu Ihrem Konto",
    handOver: "Wenn nichts von selbst geschieht, wählen Sie „Weiter“.",
    requestId: "Anfrage {id}",
    password: {
      title: "Anmelden",
      lead: "weiter zu {application}",
      names: { USERNAME: "Benutzername", EMAIL: "E\u2011Mail-Adresse", PHONE: "Telefonnummer" },
      password: "Passwort",
      submit: "Anmelden",
      wrong: "Name oder Passwort ist falsch. Bitte beides prüfen und noch einmal versuchen.",
      paused: "Das waren zu viele Versuche. Bitte eine Weile warten und dann noch einmal versuchen.",
      or: "oder",
      nothing: "Zurzeit kann sich hier niemand anmelden. Bitte beim Betreiber der Anwendung nachfragen.",
    },
    legal: { terms: "Nutzungsbedingungen", privacy: "Datenschutz", help: "Hilfe" },
    identityProviders: { google: "Mit Google anmelden" },
    directory: {
      title: "Mit {directory} anmelden",
      lead: "Verwenden Sie den Namen und das Passwort, die Sie bei {directory} haben.",
      name: "Name",
      password: "Passwort bei {directory}",
    },
    account: {
      title: "Konto wählen",
      lead: "weiter zu {application}",
      use: "Weiter als {name}",
      another: "Anderes Konto verwenden",
    },
    confirm: {
      title: "Weiter zu {application}?",
      lead: "{application} gehört zu {organization}. Das ist nicht Ihre Organisation.",
      leadHome: "{application} gehört zu {organization}.",
      more: "Diese Anwendung möchte mehr, als Sie ihr bisher erlaubt haben.",
      described:
        "{application} ist hier nicht angelegt. Die Website {host} beschreibt diese Anwendung; niemand hat den Namen geprüft.",
      registered:
        "{application} hat sich hier selbst registriert. Niemand hat den Namen oder die Herkunft geprüft.",
      returnsTo: "Danach werden Sie zu {place} geschickt.",
      onDevice:
        "Diese Adresse liegt auf Ihrem eigenen Gerät. Fahren Sie nur fort, wenn Sie diese Anwendung dort gerade selbst gestartet haben.",
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
      metadata: "was Ihre Organisation unter „{key}“ über Sie gespeichert hat",
      offline: "all das auch dann, wenn Sie nicht angemeldet sind, bis zu 90 Tage lang",
      audiences: "In Ihrem Namen nutzt sie auch:",
      project: "{project} von {organization}; es erfährt dasselbe über Sie",
      resource: "{api} im Projekt {project} von {organization}",
      mayDo: "An diesen APIs darf sie:",
      scope: "{scope} ({api})",
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
      EMAIL_CODE: "Stattdessen einen Code per E\u2011Mail erhalten",
      SMS_CODE: "Stattdessen einen Code per SMS erhalten",
    },
    sentCode: {
      title: "Code erhalten",
      leads: {
        EMAIL_CODE: "Wir senden einen Code an {address}.",
        SMS_CODE: "Wir senden einen Code per SMS an {address}.",
      },
      send: "Code senden",
      sent: "Ein Code ist unterwegs an {address}. Er gilt 10 Minuten lang.",
      again: "Neuen Code senden",
      wrong: "Der Code ist falsch. Bitte prüfen und noch einmal versuchen.",
      gone: "Dieser Code gilt nicht mehr. Bitte einen neuen senden.",
      tooMany:
        "Gerade wurde ein Code gesendet, oder es waren zu viele. Bitte eine Weile warten und dann einen neuen senden.",
      unsent: "Zurzeit kann kein Code gesendet werden. Bitte später noch einmal versuchen.",
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
      added: "Eingerichtet am {day}",
      identity: "Konto bei {provider}",
      namedIdentity: "Konto {identity} bei {provider}",
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
        min_length: "Das neue Passwort braucht mindestens {least} Zeichen.",
        max_length: "Das neue Passwort darf höchstens 200 Zeichen haben.",
        personal: "Das neue Passwort darf nicht Ihr Benutzername, Ihre E-Mail-Adresse oder Ihr Name sein.",
        common:
          "Dieses Passwort ist leicht zu erraten. Bitte nicht aus Namen, gängigen Wörtern, Tastenreihen oder Jahren bilden.",
        breached: "Dieses Passwort ist aus einem Datenleck bekannt. Bitte ein anderes wählen.",
        not_repeated: "Die beiden neuen Passwörter stimmen nicht überein. Bitte zweimal dasselbe eingeben.",
        same: "Das neue Passwort ist das bisherige. Bitte ein anderes wählen.",
      },
    },
    forgottenPassword: {
      link: "Passwort vergessen?",
      title: "Passwort vergessen?",
      lead: "Bitte den Namen eingeben, mit dem Sie sich anmelden. Sie bekommen eine E\u2011Mail mit einem Link, über den Sie ein neues Passwort wählen.",
      submit: "Link senden",
      paused: "Das waren zu viele Anfragen. Bitte eine Weile warten und dann noch einmal versuchen.",
      sentTitle: "Bitte im Postfach nachsehen",
      sent: "Wenn es ein Konto mit diesem Namen und einer bestätigten E-Mail-Adresse gibt, ist ein Link dorthin unterwegs. Er gilt 30 Minuten lang.",
      sentHint:
        "Nichts angekommen? Bitte im Spam-Ordner nachsehen oder bei der Administration Ihrer Organisation nachfragen.",
      back: "Zurück zur Anmeldung",
    },
    resetPassword: {
      title: "Passwort wählen",
      lead: "Mit diesem Passwort melden Sie sich künftig an. Auf allen anderen Geräten werden Sie abgemeldet.",
      code: "Code",
      submit: "Passwort setzen",
      wrong:
        "Der Link oder der Code ist falsch, abgelaufen oder schon verwendet. Bitte einen neuen anfordern.",
      doneTitle: "Ihr Passwort ist gesetzt",
      done: "Sie können diese Seite schließen und sich dort anmelden, wo Sie möchten.",
    },
    invitation: {
      title: "Wählen Sie, wie Sie sich anmelden",
      lead: "{organization} hat ein Konto für Sie angelegt.",
      applicationLead:
        "{organization} hat ein Konto für Sie angelegt, mit dem Sie {application} benutzen können.",
      username: "Ihr Benutzername ist {username}.",
      submit: "Passwort setzen",
      passkeyTitle: "Passkey anlegen",
      passkeyLead: "Ihr Gerät fragt nach Fingerabdruck, Gesicht oder PIN und bewahrt den Passkey auf.",
      passkeyButton: "Passkey anlegen",
      passkeyName: "Passkey",
      passkeyFailed:
        "Es wurde kein Passkey angelegt. Bitte noch einmal versuchen oder eine andere Möglichkeit wählen.",
      passkeyTaken: "Dieser Passkey ist schon in Gebrauch. Bitte einen anderen anlegen.",
      another: "Andere Möglichkeit wählen",
      doneTitle: "Ihr Konto ist bereit",
      done: "Sie können sich jetzt anmelden.",
    },
    newIdentity: {
      title: "Sie haben hier noch kein Konto",
      lead: "Sie haben sich mit {provider} angemeldet.",
      namedLead: "Sie haben sich mit {provider} als {identity} angemeldet.",
      noneTitle: "Sie haben hier kein Konto",
      none: "Ihr Konto bei {provider} ist mit keinem Konto hier verbunden. Bitte bei der Administration nachfragen.",
      namedNone:
        "Ihr Konto {identity} bei {provider} ist mit keinem Konto hier verbunden. Bitte bei der Administration nachfragen.",
      link: "Bei meinem Konto anmelden",
      linkTitle: "Haben Sie hier ein Konto?",
      linkHint:
        "Sie scheinen schon ein Konto zu haben. Melden Sie sich einmal dort an, um beide zu verbinden.",
      linkUnknown:
        "Damit ist hier kein Konto verbunden. Wenn Sie eines haben, melden Sie sich einmal dort an, um beide zu verbinden. Wenn nicht, bitte bei der Administration nachfragen.",
      linkInstead: "Mit meinem Konto hier verbinden",
      create: "Neues Konto anlegen",
      missing: "Ein neues Konto braucht noch:",
      taken: "Der Benutzername Ihres neuen Kontos ist schon vergeben. Bitte einen anderen wählen.",
      another: "Anders anmelden",
    },
    linkIdentity: {
      title: "Ihr Konto mit {provider} verbinden?",
      lead: "Sie könnten sich dann als {username} auch mit Ihrem Konto bei {provider} anmelden.",
      namedLead:
        "Sie könnten sich dann als {username} auch mit Ihrem Konto {identity} bei {provider} anmelden.",
      notTheirs:
        "Sie haben sich als {username} angemeldet. Dieses Konto lässt sich mit dem bei {provider} nicht verbinden, es wurde nichts geändert.",
      full: "Sie haben sich als {username} angemeldet. Dieses Konto ist schon mit so vielen anderen verbunden wie möglich und wurde darum nicht mit dem bei {provider} verbunden. Bitte zuerst eine Verbindung trennen.",
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
      atLeast: "Mindestens {minLength} Zeichen",
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
      lead: "weiter zu {application}",
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
      title: "Auf einem Gerät bei {application} anmelden?",
      lead: "{application} gehört zu {organization} und bittet darum auf einem Gerät, das diesen Code anzeigt:",
      own: "Bitte nur zulassen, wenn Sie den Code auf Ihrem eigenen Gerät sehen. Hat Ihnen jemand den Code oder einen Link geschickt, wählen Sie „Abbrechen“: Sonst wird diese Person mit Ihrem Konto angemeldet.",
      account: "Sie sind hier als {username} angemeldet.",
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
    retry: {
      again: "Noch einmal versuchen",
      goBack: "Gehen Sie dazu in Ihrem Browser zurück und wiederholen Sie den letzten Schritt.",
      "too-many-requests": "Bitte {when} noch einmal versuchen. Es wurde nichts getan.",
      unavailable: "Bitte {when} noch einmal versuchen.",
      start: "Zur Startseite",
      openConsole: "Zur Konsole",
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
      "invitation-over": {
        title: "Diese Einladung funktioniert nicht mehr",
        sentence:
          "Der Link ist abgelaufen, schon verwendet oder nicht vollständig. Wenn Sie sich nicht anmelden können, bitten Sie die Personen, die Sie eingeladen haben, um einen neuen.",
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
      "hook-refused": {
        title: "Sie können sich hier nicht anmelden",
        sentence:
          "Die Organisation, die die Anwendung betreibt, lässt Sie nicht herein. Ihre eigenen Worte stehen darunter, falls sie welche angibt.",
      },
      "hook-failed": {
        title: "Sie können sich zurzeit nicht anmelden",
        sentence:
          "Eine Prüfung, die die Organisation verlangt, war nicht möglich. Versuchen Sie es in ein paar Minuten noch einmal.",
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
  },
  account: {
    title: "Ihr Konto",
    back: "Ihr Konto",
    lead: "Sie sind angemeldet als {name}.",
    more: "Mehr anzeigen",
    remove: "Entfernen",
    signOut: "Abmelden",
    unknown: "Keine Angabe",
    verified: "bestätigt",
    unverified: "nicht bestätigt",
    places: {
      profile: { title: "Persönliche Daten", hint: "Was über Sie gespeichert ist" },
      email: { title: "E-Mail", hint: "Wo Sie erreichbar sind, wenn Sie Ihr Passwort vergessen" },
      phone: { title: "Telefon", hint: "Die Nummer, unter der Sie erreichbar sind" },
      password: { title: "Passwort", hint: "Das Passwort ändern, mit dem Sie sich anmelden" },
      passkeys: { title: "Passkeys", hint: "Ohne Passwort anmelden" },
      factors: { title: "Zweite Faktoren", hint: "Was Sie schützt, wenn jemand Ihr Passwort erfährt" },
      "recovery-codes": {
        title: "Wiederherstellungs\u00ADcodes",
        hint: "Für den Fall, dass Sie Ihren zweiten Faktor verlieren",
      },
      links: { title: "Verknüpfte Konten", hint: "Andere Konten, mit denen Sie sich anmelden" },
      sessions: { title: "Sitzungen", hint: "Die Browser, in denen Sie angemeldet sind" },
      applications: {
        title: "Anwendungen",
        hint: "Anwendungen, die Ihre Angaben sehen oder für Sie handeln dürfen",
      },
      tokens: { title: "Persönliche Zugriffstokens", hint: "Programme, die in Ihrem Namen handeln" },
    },
    profile: {
      lead: "Diese Daten pflegt die Administration Ihrer Organisation. Bitte dort nachfragen, wenn etwas nicht stimmt.",
      labels: {
        username: "Benutzername",
        displayName: "Anzeigename",
        name: "Name",
        email: "E-Mail-Adresse",
        language: "Sprache",
        organization: "Organisation",
      },
    },
    phone: {
      lead: "Sie erhalten einen Code per SMS. Er zeigt, dass die Nummer Ihnen gehört.",
      label: "Telefonnummer",
      example: "Mit Landesvorwahl, zum Beispiel +41 44 668 18 00",
      set: "Code senden",
      replace: "Andere Nummer verwenden",
      remove: "Nummer entfernen",
    },
    email: {
      lead: "Sie erhalten einen Code per E-Mail. Er zeigt, dass die Adresse Ihnen gehört.",
      label: "E-Mail-Adresse",
      replace: "Andere Adresse verwenden",
      set: "Code senden",
      same: "Das ist schon Ihre Adresse.",
    },
    codes: {
      lead: "Bitte den Code eingeben, der an {address} gesendet wurde.",
      code: "Code",
      verify: "Bestätigen",
      resend: "Neuen Code senden",
    },
    password: {
      lead: "Alle anderen Sitzungen enden, und Anwendungen müssen sich neu anmelden.",
      changed: "Zuletzt geändert am {date}.",
      submit: "Passwort ändern",
      none: "Sie haben kein Passwort. Um eines zu erhalten, wählen Sie bei der Anmeldung „Passwort vergessen“, oder fragen Sie bei der Administration Ihrer Organisation nach.",
    },
    passkeys: {
      lead: "Mit jedem davon können Sie sich ohne Passwort anmelden.",
      none: "Sie haben keinen Passkey. Damit melden Sie sich mit Fingerabdruck, Gesicht oder PIN an, und niemand kann ein Passwort stehlen.",
      added: "Hinzugefügt am {date}",
      copied: "auf Ihre anderen Geräte kopiert",
      add: "Passkey hinzufügen",
      newTitle: "Passkey hinzufügen",
      newLead: "Ihr Gerät fragt nach Fingerabdruck, Gesicht oder PIN und bewahrt den Passkey auf.",
      name: "Name des Passkeys",
      defaultName: "Passkey",
      button: "Passkey hinzufügen",
      wrong: "Der Passkey wurde nicht akzeptiert. Bitte noch einmal versuchen.",
      failed:
        "Es wurde kein Passkey erstellt. Vielleicht hat dieses Gerät schon einen oder bewahrt keine auf. Bitte noch einmal versuchen oder ein anderes Gerät verwenden.",
      impossible:
        "Hier lässt sich kein Passkey eintragen. Bitte bei der Administration Ihrer Organisation nachfragen.",
      removeTitle: "Diesen Passkey entfernen?",
      removeLead:
        "Mit „{name}“ können Sie sich dann nicht mehr anmelden. Bitte löschen Sie ihn auch auf Ihrem Gerät.",
    },
    factors: {
      lead: "Nach dem Passwort werden Sie nach einem davon gefragt.",
      none: "Sie haben keinen zweiten Faktor: Wer Ihr Passwort kennt, kann sich als Sie anmelden.",
      added: "Hinzugefügt am {date}",
      app: "Authenticator-App",
      add: "Sicherheitsschlüssel hinzufügen",
      addApp: "Authenticator-App hinzufügen",
      codes: { EMAIL_CODE: "Codes per E\u2011Mail", SMS_CODE: "Codes per SMS" },
      addCodes: { EMAIL_CODE: "Codes per E\u2011Mail hinzufügen", SMS_CODE: "Codes per SMS hinzufügen" },
      newLead: "Bitte einstecken oder ans Gerät halten und berühren, sobald er blinkt.",
      impossible:
        "Hier lässt sich kein solcher Faktor eintragen. Bitte bei der Administration Ihrer Organisation nachfragen.",
      removeTitle: "Diesen zweiten Faktor entfernen?",
      removeLead: "Mit „{name}“ können Sie sich dann nicht mehr anmelden.",
      codesLead:
        "Sie haben keine Wiederherstellungscodes. Ohne sie können Sie sich nicht anmelden, wenn Sie Ihren zweiten Faktor verlieren.",
      makeCodes: "Wiederherstellungscodes erstellen",
    },
    recoveryCodes: {
      lead: "Mit jedem Code melden Sie sich nach dem Passwort einmal an, wenn Sie Ihren zweiten Faktor verloren haben.",
      none: "Sie haben keine Wiederherstellungscodes.",
      made: "Ihre Codes wurden am {date} erstellt. Übrige Codes: {remaining}.",
      make: "Wiederherstellungscodes erstellen",
      replace: "Alle Codes durch neue ersetzen",
      remove: "Alle Codes entfernen",
      keep: "Bitte drucken Sie diese Codes aus, oder bewahren Sie sie sicher auf. Sie werden nur jetzt gezeigt. Frühere Codes gelten nicht mehr.",
      kept: "Ich habe sie aufbewahrt",
    },
    links: {
      lead: "Mit diesen Konten können Sie sich hier anmelden.",
      none: "Sie haben kein anderes Konto, mit dem Sie sich hier anmelden können.",
      made: "Verknüpft am {date}",
      remove: "Entfernen ({name})",
    },
    sessions: {
      lead: "Beenden Sie jede Sitzung, die Sie nicht kennen, und ändern Sie dann Ihr Passwort.",
      current: "Diese Sitzung",
      begun: "Angemeldet am {date}",
      from: "von {address}",
      by: "mit {methods}",
      end: "Sitzung beenden ({browser})",
      endOthers: "Alle anderen Sitzungen beenden",
      othersLead: "Auch Anwendungen, die Sie in anderen Sitzungen verwenden, müssen sich dann neu anmelden.",
      browser: "{browser} unter {system}",
      unknownBrowser: "Unbekannter Browser",
      methods: {
        PASSWORD: "Passwort",
        U2F: "Sicherheitsschlüssel",
        PASSKEY: "Passkey",
        TOTP: "Authenticator-App",
        RECOVERY_CODE: "Wiederherstellungscode",
        IDP: "anderem Konto",
        EMAIL_CODE: "Code per E\u2011Mail",
        SMS_CODE: "Code per SMS",
      },
    },
    applications: {
      lead: "Diesen Anwendungen haben Sie erlaubt, Ihre Angaben zu sehen oder für Sie zu handeln.",
      none: "Sie haben keiner Anwendung erlaubt, für Sie zu handeln.",
      since: "Kann seit {date} für Sie handeln, auch wenn Sie nicht da sind",
      onlyThen: "Sieht Ihre Angaben, wenn Sie sich dort anmelden",
      remove: "Zugriff entfernen ({application})",
    },
    tokens: {
      lead: "Wer eines dieser Tokens hat, kann in Ihrem Namen handeln. Entfernen Sie jedes, das Sie nicht brauchen.",
      none: "Sie haben kein persönliches Zugriffstoken.",
      name: "Token {id}",
      made: "Erstellt am {date}",
      expires: "Läuft ab am {date}",
      forever: "Läuft nie ab",
      remove: "Entfernen ({name})",
    },
    outdated: {
      title: "Diese Seite war veraltet",
      lead: "Sie haben sich seither neu angemeldet, oder das Formular kam von anderswo. Nichts wurde geändert.",
      again: "Seite neu anzeigen",
    },
    refused: {
      title: "Sie haben sich nicht angemeldet",
      lead: "Die Anmeldung wurde abgebrochen, oder Sie haben ein anderes Konto verwendet als das verlangte. Nichts wurde geändert.",
      again: "Zurück zum Konto",
    },
    tooWeak: {
      title: "Ihr zweiter Faktor ist nötig",
      lead: "Sie haben einen zweiten Faktor, haben sich aber ohne ihn angemeldet. Bitte abmelden und mit ihm neu anmelden. Werden Sie nicht danach gefragt, wenden Sie sich bitte an die Administration Ihrer Organisation.",
    },
    signedOut: {
      again: "Neu anmelden",
    },
    done: {
      "password-set": "Ihr Passwort wurde geändert.",
      "email-set": "Die Adresse ist gespeichert, und ein Code ist unterwegs.",
      "email-verified": "Die Adresse ist bestätigt.",
      "phone-set": "Die Nummer ist gespeichert, und ein Code ist unterwegs.",
      "phone-verified": "Die Nummer ist bestätigt.",
      "phone-removed": "Die Nummer wurde entfernt.",
      "code-sent": "Ein neuer Code ist unterwegs.",
      "passkey-added": "Der Passkey wurde hinzugefügt.",
      "passkey-removed": "Der Passkey wurde entfernt.",
      "factor-added": "Der zweite Faktor wurde hinzugefügt.",
      "factor-removed": "Der zweite Faktor wurde entfernt.",
      "codes-removed": "Ihre Wiederherstellungscodes wurden entfernt.",
      "link-removed": "Das Konto ist nicht mehr verknüpft.",
      "session-ended": "Die Sitzung wurde beendet.",
      "sessions-ended": "Alle anderen Sitzungen wurden beendet.",
      "application-removed": "Der Zugriff der Anwendung wurde entfernt.",
      "token-removed": "Das Token wurde entfernt.",
    },
    faults: {
      ALREADY_EXISTS: "Dieses Gerät ist schon eingetragen. Bitte ein anderes verwenden.",
      CODE_EXHAUSTED: "Das waren zu viele falsche Codes. Bitte einen neuen senden lassen.",
      CODE_EXPIRED: "Der Code ist abgelaufen. Bitte einen neuen senden lassen.",
      CODE_INVALID: "Der Code ist falsch. Bitte prüfen und noch einmal versuchen.",
      CODE_NOT_PENDING: "Es ist kein Code angefordert. Bitte einen senden lassen.",
      FIELD_INVALID: "Das lässt sich nicht verwenden. Bitte die Eingabe prüfen.",
      LIMIT_REACHED: "Mehr sind nicht möglich. Bitte zuerst etwas entfernen.",
      LOCKS_OUT:
        "Sie verwalten diesen Dienst und könnten sich danach nicht mehr anmelden. Bitte zuerst eine andere Möglichkeit zum Anmelden hinzufügen.",
      LOGIN_PAUSED: "Das waren zu viele Versuche. Bitte eine Weile warten und dann noch einmal versuchen.",
      MAIL_NOT_CONFIGURED:
        "Im Moment können keine E-Mails gesendet werden. Bitte bei der Administration Ihrer Organisation nachfragen.",
      PASSWORD_INVALID: "Das bisherige Passwort ist falsch. Bitte noch einmal versuchen.",
      RATE_LIMITED: "Das waren zu viele Versuche. Bitte eine Weile warten und dann noch einmal versuchen.",
      SMS_NOT_CONFIGURED:
        "Im Moment können keine SMS gesendet werden. Bitte bei der Administration Ihrer Organisation nachfragen.",
      TOTP_INVALID:
        "Der Code ist falsch oder wurde schon verwendet. Bitte auf den nächsten warten und diesen eingeben.",
      U2F_CHALLENGE_INVALID:
        "Das hat zu lange gedauert oder wurde zweimal gesendet. Bitte noch einmal versuchen.",
    },
  },
  mails: {
    verification: {
      subject: "Bestätigen Sie Ihre E-Mail-Adresse",
      text: "Guten Tag\n\nIhr Bestätigungscode lautet {code}. Er gilt {minutes} Minuten lang.\n\nWenn Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren.",
    },
    password: {
      subject: "Legen Sie Ihr Passwort fest",
      text: "Guten Tag\n\nMit diesem Link legen Sie das Passwort Ihres Kontos fest. Er gilt {minutes} Minuten lang und funktioniert einmal:\n\n{link}\n\nWenn Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren: Nichts ändert sich, solange niemand den Link benutzt.",
    },
    invitation: {
      subject: "Ihre Einladung zu {organization}",
      text: "Guten Tag\n\n{organization} hat ein Konto für Sie angelegt. Wählen Sie, wie Sie sich anmelden:\n\n{link}\n\nDer Link gilt {days} Tage lang und funktioniert einmal.\n\nWenn Sie {organization} nicht kennen, können Sie diese E-Mail ignorieren: Nichts geschieht, solange niemand den Link benutzt.",
    },
    applicationInvitation: {
      subject: "Ihre Einladung zu {application}",
      text: "Guten Tag\n\n{organization} hat ein Konto für Sie angelegt, mit dem Sie {application} benutzen können. Wählen Sie, wie Sie sich anmelden:\n\n{link}\n\nDer Link gilt {days} Tage lang und funktioniert einmal.\n\nWenn Sie {organization} nicht kennen, können Sie diese E-Mail ignorieren: Nichts geschieht, solange niemand den Link benutzt.",
    },
  },
  sms: {
    verification: "{code} ist Ihr Bestätigungscode. Er gilt {minutes} Minuten lang.",
  },
  notices: {
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
      sent_codes_added: "Codes per E\u2011Mail oder SMS wurden als zweiter Faktor hinzugefügt",
      sent_codes_removed: "Codes per E\u2011Mail oder SMS wurden als zweiter Faktor entfernt",
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
    at: "{date} (UTC)",
    byAccount: "Von jemandem mit Ihrem Konto",
    byAccountAt: "Von jemandem mit Ihrem Konto, unter der Adresse {address}",
    byAdministrator: "Durch die Administration",
    byNamedAdministrator: "Durch die Administration, unter dem Namen {name}",
    byService: "Durch den Dienst selbst",
    more: "Weitere Änderungen: {count}.",
    expected: "Wenn Sie das selbst waren oder davon wissen, müssen Sie nichts tun.",
    unexpected:
      "Wenn nicht, prüfen Sie jetzt Ihr Konto: Ändern Sie das Passwort, entfernen Sie, was Sie nicht kennen, und beenden Sie alle anderen Sitzungen.",
    lockedOut:
      "Wenn Sie sich nicht mehr anmelden können, wenden Sie sich an die Administration Ihrer Organisation.",
  },
  front: {
    start: {
      title: "Gatehouse läuft",
      lead: "Hier melden sich Menschen und Programme an. Wer was darf, legen Sie in der Konsole oder über die API fest.",
      openConsole: "Konsole öffnen",
      api: "Programme rufen die API mit gRPC, gRPC-web oder JSON auf. Jeden Aufruf beschreibt",
      firstAdministrator:
        "Der Link, mit dem sich die erste Person zur Verwaltung registriert, steht auf diesem Rechner in der Datei",
      anotherLink: "Einen weiteren Link erzeugt der Befehl",
    },
    notBuilt: {
      title: "Die Konsole ist nicht gebaut",
      lead: "Ihre Dateien fehlen. Führen Sie dort, wo Gatehouse installiert ist, diesen Befehl aus, und laden Sie die Seite neu:",
    },
  },
};
