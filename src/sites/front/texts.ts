/** The words of the start page, and of the page in place of a console that was not built. */
export interface FrontTexts {
  readonly start: {
    readonly title: string;
    readonly lead: string;
    readonly openConsole: string;
    /** Stands before the link to the document. */
    readonly api: string;
    /** Stands before the name of the file. */
    readonly firstAdministrator: string;
    /** Stands before the command. */
    readonly anotherLink: string;
  };
  readonly notBuilt: { readonly title: string; readonly lead: string };
}

const en: FrontTexts = {
  start: {
    title: "Gatehouse is running",
    lead: "People and programs sign in here. You decide who may do what in the console, or by the API.",
    openConsole: "Open the console",
    api: "Programs call the API with gRPC, gRPC-web or JSON. Every call is described in",
    firstAdministrator: "The first administrator signs up with the link in this file on this machine:",
    anotherLink: "This command makes another link:",
  },
  notBuilt: {
    title: "The console is not built",
    lead: "Its files are missing. Run this command where Gatehouse is installed, then load this page again:",
  },
};

const de: FrontTexts = {
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
};

/** Returns the words in a language; in English if there are none. */
export function frontTextsOf(language: string): FrontTexts {
  return language === "de" ? de : en;
}
