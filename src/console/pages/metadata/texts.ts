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
    sharing: "Shared metadata of users",
    sharingLead:
      "Claims of other organizations may tell these keys of your users to their applications, from the next token on.",
    sharedKeys: "Keys",
    sharedKeysHint:
      "One key per line, and behind it the IDs of the organizations that it is shared with, separated by spaces.",
    sharingSaved: "What is shared was saved.",
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
    sharing: "Geteilte Metadaten von Benutzern",
    sharingLead:
      "Claims anderer Organisationen dürfen diese Schlüssel Ihrer Benutzer deren Anwendungen mitteilen, ab dem nächsten Token.",
    sharedKeys: "Schlüssel",
    sharedKeysHint:
      "Ein Schlüssel je Zeile, dahinter die IDs der Organisationen, mit denen er geteilt wird, durch Leerzeichen getrennt.",
    sharingSaved: "Gespeichert, was geteilt wird.",
  },
);
