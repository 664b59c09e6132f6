import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { IdentityProviderService } from "../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import type { LoginPolicy } from "../../../../gen/console/gatehouse/v1/login_policy_pb.ts";
import {
  LoginPolicyService,
  UpdateLoginPolicyRequestSchema,
} from "../../../../gen/console/gatehouse/v1/login_policy_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { CheckField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { findUnoffered, offerAll } from "./offered/unoffered.ts";
import { PolicyFields, usePolicyCheck } from "./policy-fields.tsx";
import { type PolicyValues, toPolicyRequest, toPolicyValues } from "./policy-values.ts";
import { policyTexts } from "./shared/texts.ts";

/** Gives an organization a login policy of its own, which begins with the one in force. Nothing is done if it has got one meanwhile. */
export function NewPolicyForm({
  policy,
  onChange,
  onCancel,
}: {
  readonly policy: LoginPolicy;
  readonly onChange: () => Promise<void>;
  readonly onCancel: () => void;
}): JSX.Element {
  const texts = useTexts(policyTexts);
  const notify = useNotify();
  const policies = useClient(LoginPolicyService);
  const providers = useClient(IdentityProviderService);
  const mayReadProviders = useCan()("idp.read");
  // A policy that an earlier try has made, with a lost answer, is not somebody else's.
  const isTried = useRef(false);
  const form = useForm<PolicyValues & { readonly keepProviders: boolean }>({
    request: UpdateLoginPolicyRequestSchema,
    of: "new",
    initial: { ...toPolicyValues(policy), keepProviders: mayReadProviders },
    check: usePolicyCheck(UpdateLoginPolicyRequestSchema),
    async submit({ keepProviders, ...values }, key) {
      if (!isTried.current && (await policies.getLoginPolicy({})).policy?.isDefault === false) {
        notify(texts.madeMeanwhile);
        await onChange();
        return;
      }
      isTried.current = true;
      await policies.updateLoginPolicy(toPolicyRequest(values));
      if (keepProviders) await offerAll(policies, await findUnoffered(policies, providers), key);
      notify(texts.made);
      await onChange();
    },
  });
  return (
    <FormView form={form} submitText={texts.makeOwn} onCancel={onCancel}>
      <h2>{texts.ownTitle}</h2>
      <p class="hint">{texts.ownLead}</p>
      <PolicyFields form={form} />
      {mayReadProviders && (
        <CheckField
          form={form}
          name="keepProviders"
          label={texts.keepProviders}
          hint={texts.keepProvidersHint}
        />
      )}
    </FormView>
  );
}
