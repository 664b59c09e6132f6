import { createPublicKey } from "node:crypto";

/** Verifies `gosaml2Request`; made for it alone. */
export const gosaml2Key = createPublicKey(`-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApZe+mGVSsp64Duf3cL2w
6jgrRqF+vR8/D6w2nBoqVHd/Xp3QYkBlfScdNQw0cQ5nBsjHQdBInZ8s7uLUEI09
5Gsrb7eVmWkNrF62xegeFYn9hRka6bnHJqEx7vpvYmwMP5YB+9VIFORiO81LwfsK
9g4lnWgoD3Uw6EuZl2I7rH1ZQNYRuEIEDFQ1hZqb5nDlLHdcgY9J/XR1my16K4th
T0kqsKAg4kUjwvaIutyPCRSOhfwZFonNKybznEFk3Endu6H1CHLycZF1xTPYbQg0
3Q3/JEC6MA0kYE5BNj3+tuVp2EOihwttlzm8RtUG+CsSHHdLVOSOfTIYeYsHEj6D
XwIDAQAB
-----END PUBLIC KEY-----`);

/** A request as gosaml2 0.12.0 (with goxmldsig 1.6.1) signs it by default: by Canonical XML 1.1. KeyInfo was taken out. */
export const gosaml2Request =
  '<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:t' +
  'c:SAML:2.0:assertion" ID="_3d6d63e3-c53c-497f-b311-e4f296697b8a" Version="2.0" ProtocolBinding="urn:' +
  'oasis:names:tc:SAML:2.0:bindings:HTTP-POST" AssertionConsumerServiceURL="https://sp.example/acs" Iss' +
  'ueInstant="2026-11-28T00:14:14Z" Destination="https://id.example/saml/v2/SSO"><saml:Issuer>https://s' +
  'p.example</saml:Issuer><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><d' +
  's:CanonicalizationMethod Algorithm="http://www.w3.org/2006/12/xml-c14n11"/><ds:SignatureMethod Algor' +
  'ithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:Reference URI="#_3d6d63e3-c53c-497f-b3' +
  '11-e4f296697b8a"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped' +
  '-signature"/><ds:Transform Algorithm="http://www.w3.org/2006/12/xml-c14n11"/></ds:Transforms><ds:Dig' +
  'estMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>xjhc32tHhN4fSsxda/d/1' +
  "77oxKN1Rr4n6BE+Uv93Uew=</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>V41IsgBJdK" +
  "lhS+5mMJjm/qekMGsoFZrioNVzFMgjF6CFQWBXXCoWh0KrH2h2ksiw24FkDvaIoV9pNiZcyGjOMCus9XL5o4KFiYI1fVJi66gUIl" +
  "mR+hvcOhibtFvKgGOhojKLPPjYXZrxNtppegP29W0GIEdLCD2zkI70ubKO/xFPIS9HbVy6aAyHz228eCL7Sqs88l3kVpv3u5pCAt" +
  "12aQD0AdNvV4jisp3jw+/N/t4WK9oUBKB19bdkSOSpZXUXgvXg+s2FNdz7azKdP/YYBJRJ2ci96AXjVlyR26zQHrLuvOa9Qs69JV" +
  "Lq6P9YNIXlFO1A0EV4+ehXbErU68GumQ==</ds:SignatureValue></ds:Signature><samlp:NameIDPolicy AllowCreate" +
  '="true" Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"/></samlp:AuthnRequest>';
