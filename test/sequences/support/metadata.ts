/** Returns the metadata of a service provider whose assertions go to that place. */
export function samlMetadata(entityId: string, acs: string): Uint8Array {
  return new TextEncoder().encode(
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${acs}" index="0"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>`,
  );
}
