import { defineTexts } from "../../texts/language.ts";

/** The texts of the page of external clients. */
export const externalClientTexts = defineTexts(
  {
    title: "External clients",
    lead: "Clients that nobody has created, such as agents. Users confirm each login to them.",
    kinds: "How clients may introduce themselves",
    document: "By a metadata document",
    documentHint: "The client ID is the URL of a document that describes the client.",
    registration: "By registering themselves",
    registrationHint: "Anybody may register a client. Those that nobody logs in to go after a day.",
    hostPatterns: "Hosts of metadata documents",
    hostPatternsHint: "One per line, such as app.example.com or *.example.com. Empty: any host.",
    projectId: "ID of the project",
    projectIdHint: "The clients appear among its applications. Required for either way.",
    none: "None",
    anyHost: "Any host",
    saved: "The settings were saved.",
    events: "Changes of these settings",
  },
  {
    title: "Externe Clients",
    lead: "Clients, die niemand angelegt hat, etwa Agenten. Benutzer bestätigen jede Anmeldung an ihnen.",
    kinds: "Wie sich Clients vorstellen dürfen",
    document: "Durch ein Metadaten-Dokument",
    documentHint: "Die Client-ID ist die URL eines Dokuments, das den Client beschreibt.",
    registration: "Durch eigene Registrierung",
    registrationHint: "Jeder darf einen Client registrieren. Clients ohne Anmeldung enden nach einem Tag.",
    hostPatterns: "Hosts der Metadaten-Dokumente",
    hostPatternsHint: "Einer pro Zeile, etwa app.example.com oder *.example.com. Leer: jeder Host.",
    projectId: "ID des Projekts",
    projectIdHint: "Die Clients erscheinen unter seinen Anwendungen. Für beide Wege nötig.",
    none: "Keine",
    anyHost: "Jeder Host",
    saved: "Die Einstellungen wurden gespeichert.",
    events: "Änderungen dieser Einstellungen",
  },
);
