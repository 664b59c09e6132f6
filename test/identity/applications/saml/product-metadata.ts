/**
 * Metadata in the shapes that the generators of other products give it: their namespaces, prefixes, order of elements,
 * attributes and endpoints, rebuilt by hand with own host names and one throw-away certificate.
 */
export interface ProductMetadata {
  readonly product: string;
  readonly document: string;
  readonly entityId: string;
  /** Binding, location, index; the one of `defaultIndex` is the default. */
  readonly services: readonly (readonly [string, string, number])[];
  readonly defaultIndex: number;
  /** The earlier validUntil of the root and of the SPSSODescriptor, where there is one. */
  readonly validUntil?: string;
}

const md = "urn:oasis:names:tc:SAML:2.0:metadata";
const ds = "http://www.w3.org/2000/09/xmldsig#";
const protocol = "urn:oasis:names:tc:SAML:2.0:protocol";
const bindings = "urn:oasis:names:tc:SAML:2.0:bindings";
const post = `${bindings}:HTTP-POST`;
const redirect = `${bindings}:HTTP-Redirect`;
const artifact = `${bindings}:HTTP-Artifact`;
const simpleSign = `${bindings}:HTTP-POST-SimpleSign`;
const paos = `${bindings}:PAOS`;
const soap = `${bindings}:SOAP`;
const nameId = "urn:oasis:names:tc:SAML:1.1:nameid-format";

const certificate =
  "MIIBijCCAS+gAwIBAgIUW1FeXhnh97iQ3SVfOJNk30NGDx4wCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOc3AuZXhhbXBsZS5vcmcwIBcNMjYxMTIxMDQ1NjA4WhgPMjEyNjEwMjgwNDU2MDhaMBkxFzAVBgNVBAMMDnNwLmV4YW1wbGUub3JnMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEyHXQR5uzv5GpbLwn2vJps6vd1FFrZNF/u9DMdDw+18WbqfSWTn8AwozDW/JT4Y7wGbn6/2x2uBqOJ3EgKoPhA6NTMFEwHQYDVR0OBBYEFELDq8Ij2g/ZFlcqaE7vRwT8KnTxMB8GA1UdIwQYMBaAFELDq8Ij2g/ZFlcqaE7vRwT8KnTxMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAM9YjLHK0Cb3y3qdwRQ+fMTYLzrNbJJp6pHGUP+cbmiTAiEAshGXYAVr4+qsNsVpbWGEi+q/wDTJzTNAcu+YOXl/8t4=";
const lines = certificate.replaceAll(/(.{64})/g, "$1\n");

/** A KeyInfo that brings its own namespace declaration, as many generators write it. */
const keyInfo = (text = certificate) =>
  `<ds:KeyInfo xmlns:ds="${ds}"><ds:X509Data><ds:X509Certificate>${text}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
const key = (use: string, prefix = "md:", text = certificate) =>
  `<${prefix}KeyDescriptor${use === "" ? "" : ` use="${use}"`}>${keyInfo(text)}</${prefix}KeyDescriptor>`;

/** An enveloped signature over the element with that ID; nothing in it is verified. */
const signature = (id: string) =>
  `<ds:Signature xmlns:ds="${ds}"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>` +
  '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>' +
  `<ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="${ds}enveloped-signature"/>` +
  '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms>' +
  '<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>AAAA</ds:DigestValue>' +
  `</ds:Reference></ds:SignedInfo><ds:SignatureValue>AAAA</ds:SignatureValue>${keyInfo()}</ds:Signature>`;

const shibboleth: ProductMetadata = {
  product: "Shibboleth SP 3",
  document: `<!--
Only an example; look at it before you use it.
 -->
<md:EntityDescriptor xmlns:md="${md}" ID="_4f0c1e5d2b" entityID="https://sp.example.org/shibboleth">

  <md:Extensions xmlns:alg="urn:oasis:names:tc:SAML:metadata:algsupport">
    <alg:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha512"/>
    <alg:SigningMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"/>
  </md:Extensions>

  <md:SPSSODescriptor protocolSupportEnumeration="${protocol} urn:oasis:names:tc:SAML:1.1:protocol">
    <md:Extensions>
      <init:RequestInitiator xmlns:init="urn:oasis:names:tc:SAML:profiles:SSO:request-init" Binding="urn:oasis:names:tc:SAML:profiles:SSO:request-init" Location="https://sp.example.org/Shibboleth.sso/Login"/>
      <idpdisc:DiscoveryResponse xmlns:idpdisc="urn:oasis:names:tc:SAML:profiles:SSO:idp-discovery-protocol" Binding="urn:oasis:names:tc:SAML:profiles:SSO:idp-discovery-protocol" Location="https://sp.example.org/Shibboleth.sso/Login" index="1"/>
    </md:Extensions>
    <md:KeyDescriptor use="signing">
      <ds:KeyInfo xmlns:ds="${ds}">
        <ds:KeyName>sp.example.org</ds:KeyName>
        <ds:X509Data>
          <ds:X509SubjectName>CN=sp.example.org</ds:X509SubjectName>
          <ds:X509Certificate>${lines}
</ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
    <md:KeyDescriptor use="encryption">${keyInfo(lines)}
      <md:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes128-gcm"/>
      <md:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#rsa-oaep"/>
    </md:KeyDescriptor>
    <md:ArtifactResolutionService Binding="${soap}" Location="https://sp.example.org/Shibboleth.sso/Artifact/SOAP" index="1"/>
    <md:SingleLogoutService Binding="${soap}" Location="https://sp.example.org/Shibboleth.sso/SLO/SOAP"/>
    <md:SingleLogoutService Binding="${redirect}" Location="https://sp.example.org/Shibboleth.sso/SLO/Redirect"/>
    <md:AssertionConsumerService Binding="${post}" Location="https://sp.example.org/Shibboleth.sso/SAML2/POST" index="1"/>
    <md:AssertionConsumerService Binding="${simpleSign}" Location="https://sp.example.org/Shibboleth.sso/SAML2/POST-SimpleSign" index="2"/>
    <md:AssertionConsumerService Binding="${artifact}" Location="https://sp.example.org/Shibboleth.sso/SAML2/Artifact" index="3"/>
    <md:AssertionConsumerService Binding="${paos}" Location="https://sp.example.org/Shibboleth.sso/SAML2/ECP" index="4"/>
  </md:SPSSODescriptor>

</md:EntityDescriptor>
`,
  entityId: "https://sp.example.org/shibboleth",
  services: [
    [post, "https://sp.example.org/Shibboleth.sso/SAML2/POST", 1],
    [simpleSign, "https://sp.example.org/Shibboleth.sso/SAML2/POST-SimpleSign", 2],
    [artifact, "https://sp.example.org/Shibboleth.sso/SAML2/Artifact", 3],
    [paos, "https://sp.example.org/Shibboleth.sso/SAML2/ECP", 4],
  ],
  defaultIndex: 1,
};

const saml1 = "urn:oasis:names:tc:SAML:1.0:profiles";
const simpleSaml: ProductMetadata = {
  product: "SimpleSAMLphp, also in Moodle",
  document: `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="${md}" xmlns:ds="${ds}" xmlns:mdui="urn:oasis:names:tc:SAML:metadata:ui" entityID="https://sp.example.org/simplesaml/module.php/saml/sp/metadata.php/default-sp">
  <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol ${protocol}">
    <md:Extensions><mdui:UIInfo><mdui:DisplayName xml:lang="en">Our application</mdui:DisplayName><mdui:DisplayName xml:lang="de">Unsere Anwendung für Zoë</mdui:DisplayName><mdui:Logo width="16" height="16">data:image/png;base64,${"A".repeat(20_000)}</mdui:Logo></mdui:UIInfo></md:Extensions>
    ${key("signing")}
    ${key("encryption")}
    <md:SingleLogoutService Binding="${redirect}" Location="https://sp.example.org/simplesaml/module.php/saml/sp/saml2-logout.php/default-sp"/>
    <md:AssertionConsumerService Binding="${post}" Location="https://sp.example.org/simplesaml/module.php/saml/sp/saml2-acs.php/default-sp" index="0"/>
    <md:AssertionConsumerService Binding="${saml1}:browser-post" Location="https://sp.example.org/simplesaml/module.php/saml/sp/saml1-acs.php/default-sp" index="1"/>
    <md:AssertionConsumerService Binding="${artifact}" Location="https://sp.example.org/simplesaml/module.php/saml/sp/saml2-acs.php/default-sp" index="2"/>
    <md:AssertionConsumerService Binding="${saml1}:artifact-01" Location="https://sp.example.org/simplesaml/module.php/saml/sp/saml1-acs.php/default-sp/artifact" index="3"/>
    <md:AttributeConsumingService index="0"><md:ServiceName xml:lang="en">Our application</md:ServiceName><md:RequestedAttribute Name="urn:oid:0.9.2342.19200300.100.1.3" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri"/></md:AttributeConsumingService>
  </md:SPSSODescriptor>
  <md:Organization><md:OrganizationName xml:lang="en">Example</md:OrganizationName><md:OrganizationDisplayName xml:lang="en">Example</md:OrganizationDisplayName><md:OrganizationURL xml:lang="en">https://www.example.org/</md:OrganizationURL></md:Organization>
  <md:ContactPerson contactType="technical"><md:GivenName>A</md:GivenName><md:SurName>B</md:SurName><md:EmailAddress>mailto:admin@example.org</md:EmailAddress></md:ContactPerson>
</md:EntityDescriptor>
`,
  entityId: "https://sp.example.org/simplesaml/module.php/saml/sp/metadata.php/default-sp",
  services: [
    [post, "https://sp.example.org/simplesaml/module.php/saml/sp/saml2-acs.php/default-sp", 0],
    [
      `${saml1}:browser-post`,
      "https://sp.example.org/simplesaml/module.php/saml/sp/saml1-acs.php/default-sp",
      1,
    ],
    [artifact, "https://sp.example.org/simplesaml/module.php/saml/sp/saml2-acs.php/default-sp", 2],
    [
      `${saml1}:artifact-01`,
      "https://sp.example.org/simplesaml/module.php/saml/sp/saml1-acs.php/default-sp/artifact",
      3,
    ],
  ],
  defaultIndex: 0,
};

const holderOfKey = "urn:oasis:names:tc:SAML:2.0:profiles:holder-of-key:SSO:browser";
const springExtension: ProductMetadata = {
  product: "Spring Security SAML extension",
  document: `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor xmlns:md="${md}" ID="https___sp.example.org_saml_metadata" entityID="https://sp.example.org/saml/metadata"><md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${protocol}">${key("signing", "md:", lines)}${key("encryption", "md:", lines)}<md:SingleLogoutService Binding="${post}" Location="https://sp.example.org/saml/SingleLogout"/><md:NameIDFormat>${nameId}:emailAddress</md:NameIDFormat><md:AssertionConsumerService Binding="${post}" Location="https://sp.example.org/saml/SSO" index="0" isDefault="true"/><md:AssertionConsumerService Binding="${holderOfKey}" Location="https://sp.example.org/saml/HoKSSO" hoksso:ProtocolBinding="${artifact}" index="1" xmlns:hoksso="${holderOfKey}"/></md:SPSSODescriptor></md:EntityDescriptor>`,
  entityId: "https://sp.example.org/saml/metadata",
  services: [
    [post, "https://sp.example.org/saml/SSO", 0],
    [holderOfKey, "https://sp.example.org/saml/HoKSSO", 1],
  ],
  defaultIndex: 0,
};

const keycloak = oneService({
  product: "Keycloak as broker, signed",
  entityId: "https://broker.example.org/realms/one",
  location: "https://broker.example.org/realms/one/broker/saml/endpoint",
  index: 1,
  write: (entityId, location) =>
    `<md:EntityDescriptor xmlns="${md}" xmlns:md="${md}" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:ds="${ds}" entityID="${entityId}" ID="ID_7cf0d5f1-1b2a">${signature("ID_7cf0d5f1-1b2a")}<md:SPSSODescriptor protocolSupportEnumeration="${protocol}" AuthnRequestsSigned="true" WantAssertionsSigned="true"><md:KeyDescriptor use="signing"><ds:KeyInfo><ds:KeyName>k</ds:KeyName><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleLogoutService Binding="${post}" Location="${location}"/><md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat><md:AssertionConsumerService isDefault="true" index="1" Binding="${post}" Location="${location}"/><md:AttributeConsumingService index="0" isDefault="true"><md:ServiceName xml:lang="en">one</md:ServiceName></md:AttributeConsumingService></md:SPSSODescriptor></md:EntityDescriptor>`,
});

const salesforce = oneService({
  product: "Salesforce",
  validUntil: "2036-05-30T10:00:00.000Z",
  entityId: "https://one.my.example.com",
  location: "https://one.my.example.com?so=00D300000000001&sc=0LE300000000001",
  write: (entityId, location) =>
    `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor xmlns:md="${md}" xmlns:ds="${ds}" entityID="${entityId}" validUntil="2036-05-30T10:00:00.000Z">\n   <md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${protocol}">\n      ${key("signing")}\n      <md:NameIDFormat>${nameId}:unspecified</md:NameIDFormat>\n      <md:AssertionConsumerService Binding="${post}" Location="${location.replace("&", "&amp;")}" index="0" isDefault="true"/>\n   </md:SPSSODescriptor>\n</md:EntityDescriptor>`,
});

const aws = oneService({
  product: "AWS sign-in",
  validUntil: "2027-04-01T00:00:00Z",
  entityId: "urn:amazon:webservices",
  location: "https://signin.example.com/saml",
  index: 1,
  write: (entityId, location) =>
    `<?xml version="1.0"?>\n<EntityDescriptor xmlns="${md}" entityID="${entityId}" validUntil="2027-04-01T00:00:00Z">\n  <SPSSODescriptor protocolSupportEnumeration="${protocol}" WantAssertionsSigned="true">\n    ${key("signing", "")}\n    <NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:transient</NameIDFormat>\n    <AssertionConsumerService index="1" isDefault="true" Binding="${post}" Location="${location}"/>\n    <AttributeConsumingService index="1"><ServiceName xml:lang="en">Console</ServiceName><RequestedAttribute isRequired="true" Name="https://signin.example.com/Role" FriendlyName="RoleEntitlement"/></AttributeConsumingService>\n  </SPSSODescriptor>\n  <Organization><OrganizationName xml:lang="en">Example</OrganizationName><OrganizationDisplayName xml:lang="en">Example</OrganizationDisplayName><OrganizationURL xml:lang="en">https://www.example.com</OrganizationURL></Organization>\n</EntityDescriptor>\n`,
});

const rubySaml: ProductMetadata = {
  product: "ruby-saml, in GitLab",
  document: `<?xml version='1.0' encoding='UTF-8'?>\n<md:EntityDescriptor ID='_0b9a1c1e-77aa-013e' entityID='https://gitlab.example.org' xmlns:md='${md}' xmlns:saml='urn:oasis:names:tc:SAML:2.0:assertion'>\n  <md:SPSSODescriptor AuthnRequestsSigned='false' WantAssertionsSigned='false' protocolSupportEnumeration='${protocol}'>\n    <md:SingleLogoutService Binding='${redirect}' Location='https://gitlab.example.org/users/auth/saml/slo' ResponseLocation='https://gitlab.example.org/users/auth/saml/slo'/>\n    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>\n    <md:AssertionConsumerService Binding='${post}' Location='https://gitlab.example.org/users/auth/saml/callback' index='0' isDefault='true'/>\n    <md:AttributeConsumingService index='1' isDefault='true'>\n      <md:ServiceName xml:lang='en'>Required attributes</md:ServiceName>\n      <md:RequestedAttribute FriendlyName='Email address' Name='email' NameFormat='urn:oasis:names:tc:SAML:2.0:attrname-format:basic' isRequired='false'/>\n    </md:AttributeConsumingService>\n  </md:SPSSODescriptor>\n</md:EntityDescriptor>`,
  entityId: "https://gitlab.example.org",
  services: [[post, "https://gitlab.example.org/users/auth/saml/callback", 0]],
  defaultIndex: 0,
};

const crewjam: ProductMetadata = {
  product: "crewjam/saml, in Grafana",
  document: `<EntityDescriptor xmlns="${md}" validUntil="2026-06-03T12:00:00.123456789Z" entityID="https://grafana.example.org/saml/metadata">
  <SPSSODescriptor xmlns="${md}" validUntil="2026-06-03T12:00:00.123456789Z" protocolSupportEnumeration="${protocol}" AuthnRequestsSigned="true" WantAssertionsSigned="true">
    <KeyDescriptor use="encryption"><KeyInfo xmlns="${ds}"><X509Data xmlns="${ds}"><X509Certificate xmlns="${ds}">${certificate}</X509Certificate></X509Data></KeyInfo><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"></EncryptionMethod></KeyDescriptor>
    <SingleLogoutService Binding="${post}" Location="https://grafana.example.org/saml/slo" ResponseLocation="https://grafana.example.org/saml/slo"></SingleLogoutService>
    <NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:transient</NameIDFormat>
    <AssertionConsumerService Binding="${post}" Location="https://grafana.example.org/saml/acs" index="1"></AssertionConsumerService>
    <AssertionConsumerService Binding="${artifact}" Location="https://grafana.example.org/saml/acs" index="2"></AssertionConsumerService>
  </SPSSODescriptor>
</EntityDescriptor>`,
  validUntil: "2026-06-03T12:00:00.123Z",
  entityId: "https://grafana.example.org/saml/metadata",
  services: [
    [post, "https://grafana.example.org/saml/acs", 1],
    [artifact, "https://grafana.example.org/saml/acs", 2],
  ],
  defaultIndex: 1,
};

const phpSaml = oneService({
  product: "php-saml, in Zabbix and Nextcloud",
  validUntil: "2026-06-03T12:00:00Z",
  entityId: "zabbix",
  location: "https://zabbix.example.org/index_sso.php?acs",
  index: 1,
  write: (entityId, location) =>
    `<?xml version="1.0"?>\r\n<md:EntityDescriptor xmlns:md="${md}"\r\n                     validUntil="2026-06-03T12:00:00Z"\r\n                     cacheDuration="PT604800S"\r\n                     entityID="${entityId}">\r\n    <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="false" protocolSupportEnumeration="${protocol}">\r\n        <md:SingleLogoutService Binding="${redirect}"\r\n                                Location="https://zabbix.example.org/index_sso.php?sls" />\r\n        <md:NameIDFormat>${nameId}:unspecified</md:NameIDFormat>\r\n        <md:AssertionConsumerService Binding="${post}"\r\n                                     Location="${location}"\r\n                                     index="1" />\r\n    </md:SPSSODescriptor>\r\n</md:EntityDescriptor>`,
});

const claims = (prefix: string) =>
  Array.from(
    { length: 65 },
    (_, at) =>
      `<auth:ClaimType Uri="http://schemas.example.org/${prefix}/${at}" Optional="true" xmlns:auth="http://docs.oasis-open.org/wsfed/authorization/200706"><auth:DisplayName>Claim ${at}</auth:DisplayName><auth:Description>Number ${at}</auth:Description></auth:ClaimType>`,
  ).join("");
const role = (type: string, content: string) =>
  `<RoleDescriptor xsi:type="fed:${type}" protocolSupportEnumeration="http://docs.oasis-open.org/ws-sx/ws-trust/200512 http://docs.oasis-open.org/wsfed/federation/200706" ServiceDisplayName="Example" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706">${key("signing", "")}${content}</RoleDescriptor>`;
const adfs: ProductMetadata = {
  product: "AD FS, which is both provider and consumer",
  document: `\uFEFF<EntityDescriptor ID="_6ac0c5a5-e7d8-4c2c" entityID="http://adfs.example.org/adfs/services/trust" xmlns="${md}">${signature("_6ac0c5a5-e7d8-4c2c")}${role("ApplicationServiceType", `<fed:ClaimTypesRequested>${claims("a")}</fed:ClaimTypesRequested>`)}${role("SecurityTokenServiceType", `<fed:ClaimTypesOffered>${claims("b")}</fed:ClaimTypesOffered>`)}<SPSSODescriptor WantAssertionsSigned="true" protocolSupportEnumeration="${protocol}">${key("encryption", "")}${key("signing", "")}<SingleLogoutService Binding="${redirect}" Location="https://adfs.example.org/adfs/ls/"/><NameIDFormat>${nameId}:emailAddress</NameIDFormat><AssertionConsumerService Binding="${post}" Location="https://adfs.example.org/adfs/ls/" index="0" isDefault="true"/><AssertionConsumerService Binding="${artifact}" Location="https://adfs.example.org/adfs/ls/" index="1"/><AssertionConsumerService Binding="${redirect}" Location="https://adfs.example.org/adfs/ls/" index="2"/></SPSSODescriptor><IDPSSODescriptor protocolSupportEnumeration="${protocol}">${key("signing", "")}<SingleSignOnService Binding="${redirect}" Location="https://adfs.example.org/adfs/ls/"/></IDPSSODescriptor><ContactPerson contactType="support"/></EntityDescriptor>`,
  entityId: "http://adfs.example.org/adfs/services/trust",
  services: [
    [post, "https://adfs.example.org/adfs/ls/", 0],
    [artifact, "https://adfs.example.org/adfs/ls/", 1],
    [redirect, "https://adfs.example.org/adfs/ls/", 2],
  ],
  defaultIndex: 0,
};

const entra: ProductMetadata = {
  product: "Microsoft Entra as consumer",
  document: `<?xml version="1.0" encoding="utf-8"?><EntityDescriptor ID="_c2c4f3a2" entityID="urn:federation:Example" xmlns="${md}">${signature("_c2c4f3a2")}<SPSSODescriptor protocolSupportEnumeration="${protocol}" WantAssertionsSigned="true">${key("signing", "")}${key("", "")}<SingleLogoutService Binding="${post}" Location="https://login.example.com/login.srf"/><NameIDFormat>${nameId}:emailAddress</NameIDFormat><AssertionConsumerService isDefault="true" index="0" Binding="${post}" Location="https://login.example.com/login.srf"/><AssertionConsumerService index="1" Binding="${simpleSign}" Location="https://login.example.com/login.srf"/><AssertionConsumerService index="2" Binding="${paos}" Location="https://login.example.com/login.srf"/></SPSSODescriptor></EntityDescriptor>`,
  entityId: "urn:federation:Example",
  services: [
    [post, "https://login.example.com/login.srf", 0],
    [simpleSign, "https://login.example.com/login.srf", 1],
    [paos, "https://login.example.com/login.srf", 2],
  ],
  defaultIndex: 0,
};

const auth0 = oneService({
  product: "Auth0 as consumer",
  entityId: "urn:auth0:one:our-connection",
  location: "https://one.example.com/login/callback?connection=our-connection",
  write: (entityId, location) =>
    `<EntityDescriptor entityID="${entityId}" xmlns="${md}">\n  <SPSSODescriptor protocolSupportEnumeration="${protocol}">\n    ${key("signing", "")}\n    <SingleLogoutService Binding="${redirect}" Location="https://one.example.com/logout"/>\n    <NameIDFormat>${nameId}:emailAddress</NameIDFormat>\n    <NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:transient</NameIDFormat>\n    <AssertionConsumerService Binding="${post}" Location="${location}" index="0" isDefault="true"/>\n  </SPSSODescriptor>\n</EntityDescriptor>`,
});

const pysaml2 = oneService({
  product: "pysaml2, with prefixes that a library numbers",
  entityId: "https://sp.example.org/saml2_auth/metadata/",
  location: "https://sp.example.org/saml2_auth/acs/",
  index: 1,
  write: (entityId, location) =>
    `<?xml version='1.0' encoding='UTF-8'?>\n<ns0:EntityDescriptor xmlns:ns0="${md}" xmlns:ns1="urn:oasis:names:tc:SAML:metadata:attribute" xmlns:ns2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:ns4="${ds}" entityID="${entityId}"><ns0:Extensions><ns1:EntityAttributes><ns2:Attribute Name="http://macedir.org/entity-category"><ns2:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">x</ns2:AttributeValue></ns2:Attribute></ns1:EntityAttributes></ns0:Extensions><ns0:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${protocol}"><ns0:KeyDescriptor use="both"><ns4:KeyInfo><ns4:X509Data><ns4:X509Certificate>${lines}</ns4:X509Certificate></ns4:X509Data></ns4:KeyInfo></ns0:KeyDescriptor><ns0:AssertionConsumerService Binding="${post}" Location="${location}" index="1"/></ns0:SPSSODescriptor></ns0:EntityDescriptor>`,
});

const sustainsys: ProductMetadata = {
  product: "Sustainsys.Saml2",
  document: `<?xml version="1.0" encoding="utf-8"?><EntityDescriptor ID="_a1b2" entityID="https://net.example.org/Saml2" cacheDuration="PT1H" validUntil="2026-06-15T14:00:00.0000000+02:00" xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns="${md}"><SPSSODescriptor protocolSupportEnumeration="${protocol}"><Extensions><DiscoveryResponse index="0" isDefault="true" Binding="urn:oasis:names:tc:SAML:profiles:SSO:idp-discovery-protocol" Location="https://net.example.org/Saml2/SignIn" xmlns="urn:oasis:names:tc:SAML:profiles:SSO:idp-discovery-protocol"/></Extensions>${key("", "")}<AssertionConsumerService Binding="${post}" Location="https://net.example.org/Saml2/Acs" index="0" isDefault="true"/><AssertionConsumerService Binding="${artifact}" Location="https://net.example.org/Saml2/Acs" index="1" isDefault="false"/></SPSSODescriptor></EntityDescriptor>`,
  validUntil: "2026-06-15T12:00:00Z",
  entityId: "https://net.example.org/Saml2",
  services: [
    [post, "https://net.example.org/Saml2/Acs", 0],
    [artifact, "https://net.example.org/Saml2/Acs", 1],
  ],
  defaultIndex: 0,
};

const mellon: ProductMetadata = {
  product: "mod_auth_mellon",
  document: `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<EntityDescriptor entityID="urn:mellon" xmlns="${md}" xmlns:ds="${ds}">\n <SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${protocol}">\n   ${key("signing", "")}\n   <SingleLogoutService Binding="${soap}" Location="https://m.example.org/mellon/logout"/>\n   <AssertionConsumerService index="0" isDefault="true" Binding="${post}" Location="https://m.example.org/mellon/postResponse"/>\n   <AssertionConsumerService index="1" Binding="${artifact}" Location="https://m.example.org/mellon/artifactResponse"/>\n   <AssertionConsumerService index="2" Binding="${paos}" Location="https://m.example.org/mellon/paosResponse"/>\n </SPSSODescriptor>\n <Organization><OrganizationName xml:lang="en">m</OrganizationName></Organization>\n</EntityDescriptor>\n`,
  entityId: "urn:mellon",
  services: [
    [post, "https://m.example.org/mellon/postResponse", 0],
    [artifact, "https://m.example.org/mellon/artifactResponse", 1],
    [paos, "https://m.example.org/mellon/paosResponse", 2],
  ],
  defaultIndex: 0,
};

/** What products generate and we take. */
export const productMetadata: readonly ProductMetadata[] = [
  shibboleth,
  simpleSaml,
  springExtension,
  keycloak,
  salesforce,
  aws,
  rubySaml,
  crewjam,
  phpSaml,
  adfs,
  entra,
  auth0,
  pysaml2,
  sustainsys,
  mellon,
];

function oneService(parts: {
  readonly product: string;
  readonly entityId: string;
  readonly location: string;
  /** Default: 0. */
  readonly index?: number;
  readonly validUntil?: string;
  readonly write: (entityId: string, location: string) => string;
}): ProductMetadata {
  const { product, entityId, location, index = 0, validUntil } = parts;
  return {
    ...(validUntil === undefined ? {} : { validUntil }),
    product,
    document: parts.write(entityId, location),
    entityId,
    services: [[post, location, index]],
    defaultIndex: index,
  };
}
