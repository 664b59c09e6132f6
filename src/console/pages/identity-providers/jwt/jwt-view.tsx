import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import type { JwtConfig } from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
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
import { JwtProviderFields } from "./jwt-fields.tsx";
import { jwtProviderTexts } from "./jwt-texts.ts";
import { toJwtProviderRequest, toJwtProviderValues } from "./jwt-values.ts";

/** Shows the address that the gateway of a JWT identity provider forwards browsers to. */
export function JwtAddress(): JSX.Element {
  const texts = useTexts(jwtProviderTexts);
  return <OurAddress lead={texts.ourSideLead} label={texts.callback} path="/ui/login/login/jwt/authorize" />;
}

/** Shows a JWT identity provider; users who may change it can. */
export function JwtProviderView(props: ProviderViewProps & { readonly jwt: JwtConfig }): JSX.Element {
  return (
    <>
      <JwtAddress />
      {props.mayWrite ? <JwtForm {...props} /> : <JwtFacts {...props} />}
    </>
  );
}

function JwtForm({ provider, onChange, readStored }: ProviderViewProps): JSX.Element {
  const texts = useTexts(providerTexts);
  const notify = useNotify();
  const client = useClient(IdentityProviderService);
  const form = useForm({
    request: UpdateIdentityProviderRequestSchema,
    initial: toJwtProviderValues(provider),
    version: provider.details,
    async submit(values, _key, version) {
      await client.updateIdentityProvider(
        { idpId: provider.id, ...toJwtProviderRequest(values) },
        ifUnchanged(version),
      );
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const stored = await readStored();
      return { values: toJwtProviderValues(stored), version: stored.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <h2>{texts.settings}</h2>
      <JwtProviderFields form={form} />
    </FormView>
  );
}

function JwtFacts({ provider, jwt }: ProviderViewProps & { readonly jwt: JwtConfig }): JSX.Element {
  const shared = useTexts(providerTexts);
  const texts = useTexts(jwtProviderTexts);
  const { yes, no } = useTexts(uiTexts);
  const stylings: Readonly<Record<string, string>> = shared.stylings;
  return (
    <section class="panel">
      <h2>{shared.settings}</h2>
      <Facts
        facts={[
          { label: texts.jwtEndpoint, value: jwt.jwtEndpoint },
          { label: texts.issuer, value: jwt.issuer },
          { label: texts.keysEndpoint, value: jwt.keysEndpoint },
          { label: texts.headerName, value: jwt.headerName },
          { label: texts.audiences, value: jwt.audiences.join(", ") },
          { label: shared.autoRegister, value: provider.autoRegister ? yes : no },
          { label: shared.styling, value: stylings[provider.stylingType] },
        ]}
      />
    </section>
  );
}
