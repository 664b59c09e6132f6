import { defineTexts } from "../../../texts/language.ts";

/** The texts of JWT identity providers. */
export const jwtProviderTexts = defineTexts(
  {
    ourSideLead:
      "The gateway forwards browsers to this address, with the query that they came with and the token in the header.",
    callback: "Address for the gateway",
    jwtEndpoint: "Address of the gateway",
    jwtEndpointHint: "Browsers are sent there to get the token. It must begin with https.",
    issuer: "Issuer",
    issuerHint: "The issuer of the tokens (iss), compared exactly.",
    keysEndpoint: "Address of the keys",
    keysEndpointHint: "The address of the public keys that check tokens. This service reads it itself.",
    headerName: "Header",
    headerNameHint: "The HTTP header in which the gateway sends the token, usually authorization.",
    audiences: "Audiences",
    audiencesHint: "The token must be meant for one of these (aud), one per line. Empty: it is not checked.",
  },
  {
    ourSideLead:
      "Das Gateway leitet Browser an diese Adresse weiter, mit der Query, mit der sie kamen, und dem Token im Header.",
    callback: "Adresse für das Gateway",
    jwtEndpoint: "Adresse des Gateways",
    jwtEndpointHint: "Dorthin werden Browser geschickt, um das Token zu holen. Sie muss mit https beginnen.",
    issuer: "Issuer",
    issuerHint: "Wer das Token ausgestellt haben muss (iss), Zeichen für Zeichen verglichen.",
    keysEndpoint: "Adresse der Schlüssel",
    keysEndpointHint:
      "Wo die öffentlichen Schlüssel stehen, mit denen Tokens geprüft werden. Dieser Dienst liest sie selbst.",
    headerName: "Header",
    headerNameHint: "Der HTTP-Header, in dem das Gateway das Token schickt, meist authorization.",
    audiences: "Audiences",
    audiencesHint:
      "Das Token muss für eine davon bestimmt sein (aud), je eine Zeile. Leer: Das wird nicht geprüft.",
  },
);
