import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { withKey } from "../../../api/call-options.ts";
import { useQuery } from "../../../api/use-query.ts";
import type { IdentityProvider } from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import { IdentityProviderService } from "../../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import {
  AddIdpToLoginPolicyRequestSchema,
  LoginPolicyService,
} from "../../../../../gen/console/gatehouse/v1/login_policy_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { SelectField } from "../../../ui/form/choice-fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { QueryView } from "../../../ui/query-view.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { policyTexts } from "../shared/texts.ts";
import { findUnoffered } from "./unoffered.ts";

interface DialogProps {
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
}

/** Lets logins to the organization offer one of its active identity providers. */
export function OfferDialog(props: DialogProps): JSX.Element {
  const texts = useTexts(policyTexts);
  const { close } = useTexts(uiTexts);
  const policies = useClient(LoginPolicyService);
  const providers = useClient(IdentityProviderService);
  const query = useQuery(() => findUnoffered(policies, providers), [policies, providers]);
  return (
    <Dialog title={texts.offer} onClose={props.onClose}>
      <QueryView query={query}>
        {(found) =>
          found.length === 0 ? (
            <>
              <p>{texts.allOffered}</p>
              <div class="actions">
                <Button onClick={props.onClose}>{close}</Button>
              </div>
            </>
          ) : (
            <OfferForm {...props} providers={found} />
          )
        }
      </QueryView>
    </Dialog>
  );
}

function OfferForm({
  providers,
  onChange,
  onClose,
}: DialogProps & { readonly providers: readonly IdentityProvider[] }): JSX.Element {
  const texts = useTexts(policyTexts);
  const { add } = useTexts(uiTexts);
  const notify = useNotify();
  const client = useClient(LoginPolicyService);
  const form = useForm({
    request: AddIdpToLoginPolicyRequestSchema,
    initial: { idpId: "" },
    async submit(values, key) {
      await client.addIdpToLoginPolicy(values, withKey(key));
      notify(texts.offered(providers.find(({ id }) => id === values.idpId)?.name ?? values.idpId));
      onClose();
      await onChange();
    },
  });
  const options = providers.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FormView form={form} submitText={add} onCancel={onClose}>
      <SelectField
        form={form}
        name="idpId"
        label={texts.provider}
        options={[{ value: "", label: texts.choose }, ...options]}
      />
    </FormView>
  );
}
