import type { JSX } from "preact";
import type { SamlConfig } from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Facts } from "../../../ui/facts.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { showAttribute, writeAttribute } from "./attributes.ts";
import { samlTexts } from "./saml-texts.ts";

/** Shows the settings of a SAML application to users that may not change them. */
export function SettingsFacts({ saml }: { readonly saml: SamlConfig }): JSX.Element {
  const texts = useTexts(samlTexts);
  const { yes, no } = useTexts(uiTexts);
  const flag = (isOn: boolean): string => (isOn ? yes : no);
  const formats: Readonly<Record<string, string>> = texts.nameIdFormats;
  const encryptions: Readonly<Record<string, string>> = texts.encryptions;
  return (
    <section class="panel">
      <h2>{texts.settings}</h2>
      <Facts
        facts={[
          { label: texts.nameIdFormat, value: formats[String(saml.nameIdFormat)] },
          {
            label: texts.attributes,
            value: saml.attributes.map((attribute) => showAttribute(writeAttribute(attribute))).join(", "),
          },
          { label: texts.onlyRequestedAttributes, value: flag(saml.onlyRequestedAttributes) },
          { label: texts.encryption, value: encryptions[String(saml.encryption)] },
          { label: texts.requireSignedRequests, value: flag(saml.requireSignedRequests) },
          { label: texts.allowIdpInitiated, value: flag(saml.allowIdpInitiated) },
          { label: texts.defaultRelayState, value: saml.defaultRelayState },
          { label: texts.logoutDisabled, value: flag(saml.logoutDisabled) },
        ]}
      />
    </section>
  );
}
