import { defineTexts } from "../../../texts/language.ts";

/** The texts of API applications. Enums are called by their numbers. */
export const apiTexts = defineTexts(
  {
    authMethodType: "How the API authenticates",
    methods: { "1": "Client secret (Basic)", "2": "With a key (private_key_jwt)" },
    methodHints: {
      "1": "It sends its client ID and its secret when it checks a token.",
      "2": "It signs with its own key; no secret is sent. Add a key after the API was added.",
    },
    secretEnds: "When you save, the client secret ends at once.",
  },
  {
    authMethodType: "Wie sich die API ausweist",
    methods: { "1": "Client-Geheimnis (Basic)", "2": "Mit einem Schlüssel (private_key_jwt)" },
    methodHints: {
      "1": "Sie sendet ihre Client-ID und ihr Geheimnis, wenn sie ein Token prüft.",
      "2": "Sie signiert mit ihrem eigenen Schlüssel; kein Geheimnis wird gesendet. Fügen Sie danach einen Schlüssel hinzu.",
    },
    secretEnds: "Beim Speichern endet das Client-Geheimnis sofort.",
  },
);
