import type { JSX } from "preact";
import type { SamlViewProps } from "../shared/view-props.ts";
import { MetadataPanel } from "./metadata-panel.tsx";
import { OurSide } from "./our-side.tsx";
import { SettingsFacts } from "./settings-facts.tsx";
import { SettingsForm } from "./settings-form.tsx";

/** Shows what belongs to a SAML application: its metadata, our addresses, and its settings. */
export function SamlView(props: SamlViewProps): JSX.Element {
  const { application, saml, mayWrite } = props;
  return (
    <>
      <MetadataPanel {...props} />
      <OurSide startId={saml.allowIdpInitiated ? application.id : undefined} />
      {mayWrite ? <SettingsForm {...props} /> : <SettingsFacts saml={saml} />}
    </>
  );
}
