import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import {
  IdentityProviderService,
  UpdateIdentityProviderRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/form/fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import type { ProviderViewProps } from "../shared/view-props.ts";
import { oidcProviderTexts } from "./oidc-texts.ts";
import { toOidcProviderRequest, toOidcProviderValues } from "./oidc-values.ts";

/** Replaces the client secret of an OIDC identity provider, and nothing else: the settings are sent as they are stored then. */
export function ReplaceSecretDialog({
  provider,
  readStored,
  onChange,
  onClose,
}: ProviderViewProps & { readonly onClose: () => void }): JSX.Element {
  const texts = useTexts(oidcProviderTexts);
  const { required } = useTexts(uiTexts).form;
  const notify = useNotify();
  const client = useClient(IdentityProviderService);
  const form = useForm({
    request: UpdateIdentityProviderRequestSchema,
    of: "secret",
    initial: { "oidc.clientSecret": "" },
    secrets: ["oidc.clientSecret"],
    check: (values): Record<string, string> =>
      values["oidc.clientSecret"] === "" ? { "oidc.clientSecret": required } : {},
    async submit(values) {
      const stored = await readStored();
      await client.updateIdentityProvider(
        { idpId: provider.id, ...toOidcProviderRequest({ ...toOidcProviderValues(stored), ...values }) },
        ifUnchanged(stored.details),
      );
      notify(texts.replaced);
      onClose();
      await onChange();
    },
  });
  return (
    <Dialog title={texts.replaceTitle} onClose={onClose}>
      <p>{texts.replaceText}</p>
      <FormView form={form} submitText={texts.replace} onCancel={onClose}>
        <TextField
          form={form}
          name="oidc.clientSecret"
          type="password"
          autocomplete="new-password"
          label={texts.clientSecret}
          hint={texts.clientSecretHint}
          isRequired
          hasFocus
        />
      </FormView>
    </Dialog>
  );
}
