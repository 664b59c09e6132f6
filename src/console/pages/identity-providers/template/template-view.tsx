import type { JSX } from "preact";
import {
  IdentityProviderService,
  UpdateIdentityProviderRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Facts } from "../../../ui/facts.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { OurAddress } from "../shared/our-side.tsx";
import { providerTexts } from "../shared/texts.ts";
import type { ProviderViewProps } from "../shared/view-props.ts";
import { TemplateFormFields } from "./template-form-fields.tsx";
import { templateTexts } from "./template-texts.ts";
import {
  needsSecret,
  secretOf,
  type TemplateKind,
  templateFields,
  type TemplateValues,
  toTemplateRequest,
  toTemplateValues,
} from "./template-values.ts";

type TemplateViewProps = ProviderViewProps & { readonly kind: TemplateKind };

/** Shows the address that people come back to from a provider that is known beforehand. */
export function TemplateAddress(): JSX.Element {
  const texts = useTexts(templateTexts);
  return <OurAddress lead={texts.ourSideLead} label={texts.callback} path="/idps/callback" />;
}

/** Shows a provider that is known beforehand; users who may change it can. */
export function TemplateProviderView(props: TemplateViewProps): JSX.Element {
  return (
    <>
      <TemplateAddress />
      {props.mayWrite ? <TemplateForm {...props} /> : <TemplateFacts {...props} />}
    </>
  );
}

function TemplateForm({ provider, kind, onChange, readStored }: TemplateViewProps): JSX.Element {
  const texts = useTexts(providerTexts);
  const { required } = useTexts(uiTexts).form;
  const notify = useNotify();
  const client = useClient(IdentityProviderService);
  const secret = secretOf(kind);
  const form = useForm<TemplateValues>({
    request: UpdateIdentityProviderRequestSchema,
    initial: toTemplateValues(kind, provider),
    secrets: [secret],
    check: (values): Record<string, string> =>
      needsSecret(kind, values, provider) && values[secret] === "" ? { [secret]: required } : {},
    version: provider.details,
    async submit(values, _key, version) {
      await client.updateIdentityProvider(
        { idpId: provider.id, ...toTemplateRequest(kind, values) },
        ifUnchanged(version),
      );
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const stored = await readStored();
      return { values: toTemplateValues(kind, stored), version: stored.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <h2>{texts.settings}</h2>
      <TemplateFormFields form={form} kind={kind} stored={provider} />
    </FormView>
  );
}

function TemplateFacts({ provider, kind }: TemplateViewProps): JSX.Element {
  const shared = useTexts(providerTexts);
  const texts = useTexts(templateTexts);
  const { yes, no } = useTexts(uiTexts);
  const stylings: Readonly<Record<string, string>> = shared.stylings;
  const values: Readonly<Record<string, unknown>> = toTemplateValues(kind, provider);
  const shown = templateFields[kind].filter((field) => field !== "clientSecret" && field !== "privateKey");
  return (
    <section class="panel">
      <h2>{shared.settings}</h2>
      <Facts
        facts={[
          ...shown.map((field) => ({
            label: texts.fields[field],
            value: [values[`${kind}.${field}`]].flat().join(", "),
          })),
          { label: shared.autoRegister, value: provider.autoRegister ? yes : no },
          { label: shared.styling, value: stylings[provider.stylingType] },
        ]}
      />
    </section>
  );
}
