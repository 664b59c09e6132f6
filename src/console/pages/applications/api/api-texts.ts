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
    resource: "Resource",
    resourceHint:
      "The URI by which clients name the API, such as https://api.example.com/orders. Tokens have it in aud.",
    devMode: "For development",
    devModeHint: "The resource may be http on this computer.",
    resourceVerified: "Take the resource as verified",
    resourceVerifiedHint: "Otherwise its metadata must name this service in authorization_servers.",
    resourceState: "State of the resource",
    states: { "0": "None", "1": "Pending", "2": "Verified" },
    stateHints: {
      "0": "Tokens cannot be asked for this API alone.",
      "1": "No tokens are given yet. Let the metadata of the API name this service, then save again.",
      "2": "Tokens are given for it.",
    },
    scopes: "Scopes",
    scope: {
      label: "Scopes",
      hint: "What clients may ask for. Users see the description when they are asked.",
      name: "Name",
      description: "Description",
      roleKeys: "Only for the roles",
      isDefault: "By default",
      add: "Add scope",
      remove: (name: string) => `Remove scope ${name}`,
      unnamed: "Each scope needs a name.",
      doubled: "Two scopes have the same name.",
    },
  },
  {
    authMethodType: "Wie sich die API ausweist",
    methods: { "1": "Client-Geheimnis (Basic)", "2": "Mit einem Schlüssel (private_key_jwt)" },
    methodHints: {
      "1": "Sie sendet ihre Client-ID und ihr Geheimnis, wenn sie ein Token prüft.",
      "2": "Sie signiert mit ihrem eigenen Schlüssel; kein Geheimnis wird gesendet. Fügen Sie danach einen Schlüssel hinzu.",
    },
    secretEnds: "Beim Speichern endet das Client-Geheimnis sofort.",
    resource: "Ressource",
    resourceHint:
      "Die URI, mit der Clients die API nennen, etwa https://api.example.com/orders. Sie steht in Tokens unter aud.",
    devMode: "Für die Entwicklung",
    devModeHint: "Die Ressource darf http auf diesem Rechner sein.",
    resourceVerified: "Die Ressource gilt als bestätigt",
    resourceVerifiedHint: "Sonst müssen ihre Metadaten diesen Dienst in authorization_servers nennen.",
    resourceState: "Zustand der Ressource",
    states: { "0": "Keine", "1": "Wartet", "2": "Bestätigt" },
    stateHints: {
      "0": "Tokens für diese API allein gibt es nicht.",
      "1": "Noch gibt es keine Tokens. Die Metadaten der API müssen diesen Dienst nennen; speichern Sie danach erneut.",
      "2": "Es gibt Tokens für sie.",
    },
    scopes: "Scopes",
    scope: {
      label: "Scopes",
      hint: "Was Clients verlangen dürfen. Benutzer sehen die Beschreibung, wenn sie gefragt werden.",
      name: "Name",
      description: "Beschreibung",
      roleKeys: "Nur für die Rollen",
      isDefault: "Ohne Angabe",
      add: "Scope hinzufügen",
      remove: (name) => `Scope ${name} entfernen`,
      unnamed: "Jeder Scope braucht einen Namen.",
      doubled: "Zwei Scopes haben denselben Namen.",
    },
  },
);
