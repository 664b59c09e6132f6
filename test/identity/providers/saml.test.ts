// What a configuration of a SAML provider may be, and what links of users name as its issuer.
import { describe, expect, test } from "@jest/globals";
import { checkSaml, toStoredSaml } from "../../../src/identity/providers/saml.ts";
import { makePartyKeys } from "../../sites/saml/node-saml/party-keys.ts";
import { writeIdpMetadata } from "../../sites/federation/saml/support/saml-idp.ts";

const entityId = "https://idp.example/metadata";
const { certificate } = makePartyKeys();
const good = writeIdpMetadata(entityId, certificate);
const settings = { entityId, metadataUrl: "", metadataXml: good, idAttribute: "", trustMail: false };

describe("a configuration", () => {
  const without = (pattern: RegExp) => good.replace(pattern, "");
  test.each([
    ["metadata", {}, []],
    ["their URL", { metadataXml: "", metadataUrl: "https://idp.example/m?a=b" }, []],
    ["neither", { metadataXml: "" }, ["saml.metadata_url"]],
    ["both", { metadataUrl: "https://idp.example/m" }, ["saml.metadata_url"]],
    ["what is no URL", { metadataXml: "", metadataUrl: "idp.example" }, ["saml.metadata_url"]],
    ["metadata of another provider", { entityId: "https://other.example" }, ["saml.metadata_xml"]],
    ["no XML", { metadataXml: "<" }, ["saml.metadata_xml"]],
    ["a DOCTYPE", { metadataXml: `<!DOCTYPE a>${good}` }, ["saml.metadata_xml"]],
    ["no key", { metadataXml: without(/<md:KeyDescriptor.*<\/md:KeyDescriptor>/) }, ["saml.metadata_xml"]],
    ["no address", { metadataXml: without(/<md:SingleSignOnService[^>]*>/) }, ["saml.metadata_xml"]],
    [
      "a script for an address",
      { metadataXml: good.replace(/Location="[^"]*"/, 'Location="javascript:1"') },
      ["saml.metadata_xml"],
    ],
    [
      "a service provider",
      { metadataXml: good.replaceAll("IDPSSODescriptor", "SPSSODescriptor") },
      ["saml.metadata_xml"],
    ],
  ])("has %s", (_name, change, fields) => {
    expect(checkSaml("saml.", { ...settings, ...change }).map(({ field }) => field)).toEqual(fields);
  });

  test("with another attribute that identifies people has another issuer, because its values are of others", () => {
    const issuers = ["", "uid", "a b"].map(
      (idAttribute) => toStoredSaml({ ...settings, idAttribute }).issuer,
    );
    expect(issuers).toEqual([entityId, `${entityId}#uid`, `${entityId}#a%20b`]);
  });
});
