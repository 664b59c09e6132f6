import { defineTexts } from "../../../texts/language.ts";

/** The texts of directories. */
export const ldapProviderTexts = defineTexts(
  {
    connection: "Connection",
    servers: "Servers",
    serversHint:
      "Such as ldaps://dc1.example.com, one per line. The next one is asked where one does not answer. With ldap:// the connection is encrypted by STARTTLS.",
    plainText: "Speak ldap:// without encryption",
    plainTextHint:
      "Passwords can be read on the way. It works only for hosts that the operator of this service has named.",
    caCertificates: "Certificates to trust",
    caCertificatesHint:
      "In PEM: the authorities that have issued the certificates of the servers. Empty: those that this service trusts.",
    bindDn: "Service account",
    bindDnHint:
      "The DN that looks for people, such as cn=reader,dc=example,dc=org. Empty: the directory lets anybody look.",
    bindPassword: "Password of the service account",
    bindPasswordHint: "It is stored encrypted and never shown again.",
    bindPasswordAgainHint:
      "The stored password was for other servers, and is not sent to these. Enter it again.",
    bindPasswordKept: "Empty: the stored password stays.",
    people: "People",
    baseDn: "Where people are",
    baseDnHint: "The DN of the entry above them, such as ou=people,dc=example,dc=org.",
    userFilter: "Filter",
    userFilterHint: "What entries of people fit, such as (objectClass=inetOrgPerson). Empty: any entry.",
    loginAttributes: "Names to sign in with",
    loginAttributesHint:
      "Attributes that hold what people type, one per line: uid and mail, or sAMAccountName and userPrincipalName.",
    attributes: "Attributes",
    attributesLead: "Fill in only what is called otherwise in the directory.",
    names: {
      idAttribute: "What names an entry for ever",
      usernameAttribute: "Username of new accounts",
      emailAttribute: "Email address",
      givenNameAttribute: "Given name",
      familyNameAttribute: "Family name",
      displayNameAttribute: "Display name",
      preferredLanguageAttribute: "Language",
    },
    usual: {
      idAttribute: "Empty: entryUUID, or objectGUID. Another one makes all former links worthless.",
      usernameAttribute: "Empty: the first of the names to sign in with.",
      emailAttribute: "Empty: mail.",
      givenNameAttribute: "Empty: givenName.",
      familyNameAttribute: "Empty: sn.",
      displayNameAttribute: "Empty: displayName.",
      preferredLanguageAttribute: "Empty: preferredLanguage.",
    },
    trustMail: "Trust its email addresses",
    trustMailHint: "They count as verified, and follow the directory at each sign-in.",
    groups: "Groups",
    groupsLead:
      "A group here with this directory as its source, and the DN of a group there as its external ID, has its members.",
    memberOfAttribute: "Attribute of a person with their groups",
    memberOfAttributeHint: "Empty: memberOf.",
    groupBaseDn: "Where groups are",
    groupBaseDnHint: "Only if people do not name their groups: the DN of the entry above the groups.",
    groupMemberAttribute: "Attribute of a group with its members",
    groupMemberAttributeHint:
      "Empty: member. With member:1.2.840.113556.1.4.1941, groups in groups count in Active Directory.",
  },
  {
    connection: "Verbindung",
    servers: "Server",
    serversHint:
      "Etwa ldaps://dc1.example.com, je eine Zeile. Wo einer nicht antwortet, wird der nächste gefragt. Mit ldap:// wird die Verbindung durch STARTTLS verschlüsselt.",
    plainText: "ldap:// ohne Verschlüsselung sprechen",
    plainTextHint:
      "Passwörter können unterwegs gelesen werden. Das geht nur bei Hosts, die der Betreiber dieses Dienstes genannt hat.",
    caCertificates: "Zertifikate, denen vertraut wird",
    caCertificatesHint:
      "In PEM: die Stellen, die die Zertifikate der Server ausgestellt haben. Leer: die, denen dieser Dienst vertraut.",
    bindDn: "Dienstkonto",
    bindDnHint:
      "Der DN, der Personen sucht, etwa cn=reader,dc=example,dc=org. Leer: Das Verzeichnis lässt alle suchen.",
    bindPassword: "Passwort des Dienstkontos",
    bindPasswordHint: "Es wird verschlüsselt gespeichert und nie wieder gezeigt.",
    bindPasswordAgainHint:
      "Das gespeicherte Passwort war für andere Server und wird diesen nicht gesendet. Geben Sie es noch einmal ein.",
    bindPasswordKept: "Leer: Das gespeicherte Passwort bleibt.",
    people: "Personen",
    baseDn: "Wo Personen stehen",
    baseDnHint: "Der DN des Eintrags über ihnen, etwa ou=people,dc=example,dc=org.",
    userFilter: "Filter",
    userFilterHint:
      "Was auf Einträge von Personen zutrifft, etwa (objectClass=inetOrgPerson). Leer: alle Einträge.",
    loginAttributes: "Namen zum Anmelden",
    loginAttributesHint:
      "Attribute mit dem, was Personen eingeben, je eine Zeile: uid und mail, oder sAMAccountName und userPrincipalName.",
    attributes: "Attribute",
    attributesLead: "Füllen Sie nur aus, was im Verzeichnis anders heißt.",
    names: {
      idAttribute: "Was einen Eintrag für immer benennt",
      usernameAttribute: "Benutzername neuer Konten",
      emailAttribute: "E-Mail-Adresse",
      givenNameAttribute: "Vorname",
      familyNameAttribute: "Nachname",
      displayNameAttribute: "Anzeigename",
      preferredLanguageAttribute: "Sprache",
    },
    usual: {
      idAttribute: "Leer: entryUUID oder objectGUID. Ein anderes macht alle früheren Verknüpfungen wertlos.",
      usernameAttribute: "Leer: der erste der Namen zum Anmelden.",
      emailAttribute: "Leer: mail.",
      givenNameAttribute: "Leer: givenName.",
      familyNameAttribute: "Leer: sn.",
      displayNameAttribute: "Leer: displayName.",
      preferredLanguageAttribute: "Leer: preferredLanguage.",
    },
    trustMail: "Seinen E-Mail-Adressen vertrauen",
    trustMailHint: "Sie gelten als bestätigt und folgen bei jeder Anmeldung dem Verzeichnis.",
    groups: "Gruppen",
    groupsLead:
      "Eine Gruppe hier, die dieses Verzeichnis als Quelle und den DN einer Gruppe dort als externe ID hat, hat deren Mitglieder.",
    memberOfAttribute: "Attribut einer Person mit ihren Gruppen",
    memberOfAttributeHint: "Leer: memberOf.",
    groupBaseDn: "Wo Gruppen stehen",
    groupBaseDnHint: "Nur wenn Personen ihre Gruppen nicht nennen: der DN des Eintrags über den Gruppen.",
    groupMemberAttribute: "Attribut einer Gruppe mit ihren Mitgliedern",
    groupMemberAttributeHint:
      "Leer: member. Mit member:1.2.840.113556.1.4.1941 zählen im Active Directory Gruppen in Gruppen.",
  },
);
