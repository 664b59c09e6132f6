import type { DescMessage } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import type { JSX } from "preact";
import { ifUnchanged } from "../../api/call-options.ts";
import type { LoginPolicy } from "../../../../gen/console/gatehouse/v1/login_policy_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PolicyFields, usePolicyCheck } from "./policy-fields.tsx";
import { type PolicyRequest, toPolicyRequest, toPolicyValues } from "./policy-values.ts";
import { policyTexts } from "./shared/texts.ts";

/** Props of the form that changes a login policy. */
export interface PolicyFormProps {
  readonly request: DescMessage;
  readonly policy: LoginPolicy;
  /** Saves the policy; the options make the change only if the policy is still the one that the form shows. */
  save(request: PolicyRequest, options: CallOptions): Promise<unknown>;
  readonly onChange: () => Promise<void>;
  readonly read: () => Promise<LoginPolicy>;
}

/** Changes a login policy. Its settings are replaced as a whole. */
export function PolicyForm({ request, policy, save, onChange, read }: PolicyFormProps): JSX.Element {
  const texts = useTexts(policyTexts);
  const notify = useNotify();
  const form = useForm({
    request,
    initial: toPolicyValues(policy),
    version: policy.details,
    check: usePolicyCheck(request),
    async submit(values, _key, version) {
      await save(toPolicyRequest(values), ifUnchanged(version));
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const stored = await read();
      await onChange();
      return { values: toPolicyValues(stored), version: stored.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <PolicyFields form={form} />
    </FormView>
  );
}
