import { defineTexts } from "../../../texts/language.ts";

/** The texts of SAML identity providers. */
export const samlProviderTexts = defineTexts(
  {
    ourSideLead:
      "Register this service at the provider by the address of its metadata, which is its entity ID too. The provider posts its answers to /idps/saml/acs.",
    metadata: "Our metadata",
    entityId: "Entity ID",
    entityIdHint: "What the provider calls itself in its metadata (entityID), compared exactly.",
    metadataUrl: "Address of the metadata",
    metadataUrlHint:
      "This service reads it itself, again after an hour. Leave it empty to enter the metadata below.",
    metadataXml: "Metadata",
    metadataXmlHint:
      "The XML of the provider, where it has no address. Replace it when the provider gets other keys.",
    idAttribute: "Attribute that identifies people",
    idAttributeHint:
      "Its value must never go to somebody else. Empty: the NameID, which has to be persistent. With another attribute the former links of users hold no longer.",
    trustMail: "Email addresses of the provider count as verified",
    trustMailHint: "Only for a provider that checks the addresses of its users.",
  },
  {
    ourSideLead:
      "Tragen Sie diesen Dienst beim Anbieter mit der Adresse seiner Metadaten ein, die auch seine Entity-ID ist. Der Anbieter sendet seine Antworten an /idps/saml/acs.",
    metadata: "Unsere Metadaten",
    entityId: "Entity-ID",
    entityIdHint:
      "Wie sich der Anbieter in seinen Metadaten nennt (entityID), Zeichen für Zeichen verglichen.",
    metadataUrl: "Adresse der Metadaten",
    metadataUrlHint:
      "Dieser Dienst liest sie selbst, nach einer Stunde wieder. Leer lassen, um die Metadaten unten einzutragen.",
    metadataXml: "Metadaten",
    metadataXmlHint:
      "Das XML des Anbieters, wenn es keine Adresse hat. Ersetzen Sie es, wenn der Anbieter andere Schlüssel bekommt.",
    idAttribute: "Attribut, das Personen bezeichnet",
    idAttributeHint:
      "Sein Wert darf nie jemand anderem gehören. Leer: die NameID, die dann dauerhaft (persistent) sein muss. Mit einem anderen Attribut gelten frühere Verknüpfungen nicht mehr.",
    trustMail: "E-Mail-Adressen des Anbieters gelten als bestätigt",
    trustMailHint: "Nur bei einem Anbieter, der die Adressen seiner Benutzer prüft.",
  },
);
