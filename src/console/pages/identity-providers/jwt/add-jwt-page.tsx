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
import { JwtProviderFields } from "./jwt-fields.tsx";
import { toJwtProviderRequest, toJwtProviderValues } from "./jwt-values.ts";
import { JwtAddress } from "./jwt-view.tsx";

/** Adds an JWT identity provider, and goes to it. */
export function AddJwtProviderPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(providerTexts);
  const { required } = useTexts(uiTexts).form;
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(IdentityProviderService);
  const list = toProviders(params.organization);
  const form = useForm({
    request: CreateIdentityProviderRequestSchema,
    of: "jwt",
    initial: toJwtProviderValues(),
    check: (values): Record<string, string> =>
      values["jwt.headerName"] === "" ? { "jwt.headerName": required } : {},
    async submit(values, key) {
      const { idpId } = await client.createIdentityProvider(toJwtProviderRequest(values), withKey(key));
      notify(texts.added(values.name));
      go(toProvider(params.organization, idpId), { replaces: true });
    },
  });
  return (
    <PageFrame
      title={texts.addKind(texts.kinds.jwt)}
      lead={texts.kindHints.jwt}
      parent={{ to: list, title: texts.title }}
    >
      <JwtAddress />
      <FormView form={form} submitText={texts.add} onCancel={() => go(list)}>
        <JwtProviderFields form={form} isNew />
      </FormView>
    </PageFrame>
  );
}
