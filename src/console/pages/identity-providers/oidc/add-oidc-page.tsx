import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { withKey } from "../../../api/call-options.ts";
import {
  CreateIdentityProviderRequestSchema,
  IdentityProviderService,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import { useNavigation } from "../../../routing/navigation.tsx";
import type { PageProps } from "../../../routing/page-entry.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { PageFrame } from "../../../ui/page-frame.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { toProvider, toProviders } from "../shared/provider.ts";
import { providerTexts } from "../shared/texts.ts";
import { OidcProviderFields } from "./oidc-fields.tsx";
import { toOidcProviderRequest, toOidcProviderValues } from "./oidc-values.ts";
import { OidcAddress } from "./oidc-view.tsx";

/** Adds an OIDC identity provider, and goes to it. */
export function AddOidcProviderPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(providerTexts);
  const { required } = useTexts(uiTexts).form;
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(IdentityProviderService);
  const list = toProviders(params.organization);
  const form = useForm({
    request: CreateIdentityProviderRequestSchema,
    of: "oidc",
    initial: toOidcProviderValues(),
    secrets: ["oidc.clientSecret"],
    check: (values): Record<string, string> =>
      values["oidc.clientSecret"] === "" ? { "oidc.clientSecret": required } : {},
    async submit(values, key) {
      const { idpId } = await client.createIdentityProvider(toOidcProviderRequest(values), withKey(key));
      notify(texts.added(values.name));
      go(toProvider(params.organization, idpId), { replaces: true });
    },
  });
  return (
    <PageFrame
      title={texts.addKind(texts.kinds.oidc)}
      lead={texts.kindHints.oidc}
      parent={{ to: list, title: texts.title }}
    >
      <OidcAddress />
      <FormView form={form} submitText={texts.add} onCancel={() => go(list)}>
        <OidcProviderFields form={form} isNew />
      </FormView>
    </PageFrame>
  );
}
