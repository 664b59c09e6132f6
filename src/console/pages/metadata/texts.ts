import { defineTexts } from "../../texts/language.ts";

/** The texts of the pages of metadata. */
export const metadataTexts = defineTexts(
  {
    title: "Metadata",
    lead: "Data of your own. The service stores values and does not read them.",
    key: "Key",
    keyHint: "1 to 200 characters without spaces. Users do not see keys of their own that begin with _.",
    value: "Value",
    valueHint: "A text. Other bytes are set by the API.",
    bytes: (base64: string) => `Base64: ${base64}`,
    changed: "Changed",
    set: "Set key",
    change: "Change",
    changeTitle: (key: string) => `Change ${key}`,
    saved: (key: string) => `${key} was saved.`,
    several: (count: string) => `${count} keys`,
    emptyTitle: "No metadata yet",
    emptyText: "Set a key, for example the number that another system gives this object.",
  },
  {
    title: "Metadaten",
    lead: "Eigene Daten. Der Dienst speichert die Werte und liest sie nicht.",
    key: "Schlüssel",
    keyHint:
      "1 bis 200 Zeichen ohne Leerzeichen. Eigene Schlüssel, die mit _ beginnen, sehen Benutzer nicht.",
    value: "Wert",
    valueHint: "Ein Text. Andere Bytes setzt man über die API.",
    bytes: (base64) => `Base64: ${base64}`,
    changed: "Geändert",
    set: "Schlüssel setzen",
    change: "Ändern",
    changeTitle: (key) => `${key} ändern`,
    saved: (key) => `${key} wurde gespeichert.`,
    several: (count) => `${count} Schlüssel`,
    emptyTitle: "Noch keine Metadaten",
    emptyText:
      "Setzen Sie einen Schlüssel, zum Beispiel die Nummer, die das Objekt in einem anderen System hat.",
  },
);
