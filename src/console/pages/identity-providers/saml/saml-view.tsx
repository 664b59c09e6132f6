import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import type { SamlProviderConfig } from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import {
  IdentityProviderService,
  UpdateIdentityProviderRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Facts } from "../../../ui/facts.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { OurAddress } from "../shared/our-side.tsx";
import { providerTexts } from "../shared/texts.ts";
import type { ProviderViewProps } from "../shared/view-props.ts";
import { SamlProviderFields } from "./saml-fields.tsx";
import { samlProviderTexts } from "./saml-texts.ts";
import { toSamlProviderRequest, toSamlProviderValues } from "./saml-values.ts";

/** Shows the address of our metadata, by which a SAML identity provider knows us. */
export function SamlAddress(): JSX.Element {
  const texts = useTexts(samlProviderTexts);
  return <OurAddress lead={texts.ourSideLead} label={texts.metadata} path="/idps/saml/metadata" />;
}

/** Shows a SAML identity provider; users who may change it can. */
export function SamlProviderView(
  props: ProviderViewProps & { readonly saml: SamlProviderConfig },
): JSX.Element {
  return (
    <>
      <SamlAddress />
      {props.mayWrite ? <SamlForm {...props} /> : <SamlFacts {...props} />}
    </>
  );
}

function SamlForm({ provider, onChange, readStored }: ProviderViewProps): JSX.Element {
  const texts = useTexts(providerTexts);
  const notify = useNotify();
  const client = useClient(IdentityProviderService);
  const form = useForm({
    request: UpdateIdentityProviderRequestSchema,
    initial: toSamlProviderValues(provider),
    version: provider.details,
    async submit(values, _key, version) {
      await client.updateIdentityProvider(
        { idpId: provider.id, ...toSamlProviderRequest(values) },
        ifUnchanged(version),
      );
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const stored = await readStored();
      return { values: toSamlProviderValues(stored), version: stored.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <h2>{texts.settings}</h2>
      <SamlProviderFields form={form} />
    </FormView>
  );
}

function SamlFacts({
  provider,
  saml,
}: ProviderViewProps & { readonly saml: SamlProviderConfig }): JSX.Element {
  const shared = useTexts(providerTexts);
  const texts = useTexts(samlProviderTexts);
  const { yes, no } = useTexts(uiTexts);
  const stylings: Readonly<Record<string, string>> = shared.stylings;
  return (
    <section class="panel">
      <h2>{shared.settings}</h2>
      <Facts
        facts={[
          { label: texts.entityId, value: saml.entityId },
          { label: texts.metadataUrl, value: saml.metadataUrl },
          { label: texts.idAttribute, value: saml.idAttribute },
          { label: texts.trustMail, value: saml.trustMail ? yes : no },
          { label: shared.autoRegister, value: provider.autoRegister ? yes : no },
          { label: shared.styling, value: stylings[provider.stylingType] },
        ]}
      />
    </section>
  );
}
