import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import type { OidcConfig } from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import {
  IdentityProviderService,
  UpdateIdentityProviderRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { OurAddress } from "../shared/our-side.tsx";
import { toSharedValues } from "../shared/provider.ts";
import { providerTexts } from "../shared/texts.ts";
import type { ProviderViewProps } from "../shared/view-props.ts";
import { OidcProviderFields } from "./oidc-fields.tsx";
import { oidcProviderTexts } from "./oidc-texts.ts";
import { type OidcProviderValues, toOidcProviderRequest, toOidcProviderValues } from "./oidc-values.ts";
import { ReplaceSecretDialog } from "./replace-secret-dialog.tsx";

/** Shows the address that people come back to from an OIDC identity provider. */
export function OidcAddress(): JSX.Element {
  const texts = useTexts(oidcProviderTexts);
  return <OurAddress lead={texts.ourSideLead} label={texts.callback} path="/idps/callback" />;
}

/** Shows an OIDC identity provider; users who may change it can. */
export function OidcProviderView(props: ProviderViewProps & { readonly oidc: OidcConfig }): JSX.Element {
  return (
    <>
      <OidcAddress />
      {props.mayWrite ? (
        <>
          <OidcForm {...props} />
          <SecretPanel {...props} />
        </>
      ) : (
        <OidcFacts {...props} />
      )}
    </>
  );
}

function OidcForm({
  provider,
  oidc,
  onChange,
  readStored,
}: ProviderViewProps & { readonly oidc: OidcConfig }): JSX.Element {
  const texts = useTexts(providerTexts);
  const { required } = useTexts(uiTexts).form;
  const notify = useNotify();
  const client = useClient(IdentityProviderService);
  const needsSecret = (values: OidcProviderValues) => values["oidc.issuer"] !== oidc.issuer;
  const form = useForm({
    request: UpdateIdentityProviderRequestSchema,
    initial: toOidcProviderValues(provider),
    secrets: ["oidc.clientSecret"],
    check: (values): Record<string, string> =>
      needsSecret(values) && values["oidc.clientSecret"] === "" ? { "oidc.clientSecret": required } : {},
    version: provider.details,
    async submit(values, _key, version) {
      await client.updateIdentityProvider(
        {
          idpId: provider.id,
          ...toOidcProviderRequest(needsSecret(values) ? values : { ...values, "oidc.clientSecret": "" }),
        },
        ifUnchanged(version),
      );
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const stored = await readStored();
      return { values: toOidcProviderValues(stored), version: stored.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <h2>{texts.settings}</h2>
      <OidcProviderFields form={form} needsSecret={needsSecret(form.values)} />
    </FormView>
  );
}

function SecretPanel(props: ProviderViewProps): JSX.Element {
  const texts = useTexts(oidcProviderTexts);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section class="panel">
      <h2>{texts.clientSecret}</h2>
      <p>{texts.secretKept}</p>
      <div class="actions">
        <Button onClick={() => setIsOpen(true)}>{texts.replace}</Button>
      </div>
      {isOpen && <ReplaceSecretDialog {...props} onClose={() => setIsOpen(false)} />}
    </section>
  );
}

function OidcFacts({ provider, oidc }: ProviderViewProps & { readonly oidc: OidcConfig }): JSX.Element {
  const shared = useTexts(providerTexts);
  const texts = useTexts(oidcProviderTexts);
  const { yes, no } = useTexts(uiTexts);
  const { stylingType } = toSharedValues(provider);
  const mappings: Readonly<Record<string, string>> = texts.mappings;
  const stylings: Readonly<Record<string, string>> = shared.stylings;
  return (
    <section class="panel">
      <h2>{shared.settings}</h2>
      <Facts
        facts={[
          { label: texts.issuer, value: oidc.issuer },
          { label: texts.clientId, value: oidc.clientId },
          { label: texts.scopes, value: oidc.scopes.join(", ") },
          { label: texts.usernameMapping, value: mappings[oidc.usernameMapping] },
          { label: texts.displayNameMapping, value: mappings[oidc.displayNameMapping] },
          { label: shared.autoRegister, value: provider.autoRegister ? yes : no },
          { label: shared.styling, value: stylings[stylingType] },
        ]}
      />
    </section>
  );
}
