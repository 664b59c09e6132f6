import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import type { LoginPolicy } from "../../../../gen/console/gatehouse/v1/login_policy_pb.ts";
import {
  LoginPolicyService,
  UpdateLoginPolicyRequestSchema,
} from "../../../../gen/console/gatehouse/v1/login_policy_service_pb.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { History } from "../../ui/events/history.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { NewPolicyForm } from "./new-policy-form.tsx";
import { OfferedProviders } from "./offered/offered-providers.tsx";
import { PolicyFacts } from "./policy-facts.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { policyTexts } from "./shared/texts.ts";

/** Shows the login policy that is in force in an organization: the instance's, or one of its own. */
export function OrganizationPolicyPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(policyTexts);
  const client = useClient(LoginPolicyService);
  const { organization } = params;
  const read = async (): Promise<LoginPolicy> => {
    const { policy } = await client.getLoginPolicy({});
    if (policy === undefined) throw new Error("GetLoginPolicy answered without a policy");
    return policy;
  };
  const query = useQuery(read, [client]);
  const view = { organization, read, onChange: query.reload };
  return (
    <PageFrame title={texts.title} lead={texts.leadOrganization}>
      <QueryView query={query}>
        {(policy) =>
          policy.isDefault ? (
            <InheritedPolicy {...view} policy={policy} />
          ) : (
            <OwnPolicy {...view} policy={policy} />
          )
        }
      </QueryView>
      <History aggregate="login_policy" version={query.data} />
    </PageFrame>
  );
}

interface ViewProps {
  readonly organization: string;
  readonly policy: LoginPolicy;
  readonly read: () => Promise<LoginPolicy>;
  readonly onChange: () => Promise<void>;
}

function InheritedPolicy({ policy, onChange }: ViewProps): JSX.Element {
  const texts = useTexts(policyTexts);
  const mayWrite = useCan()("policy.write");
  const [isMaking, setIsMaking] = useState(false);
  if (isMaking)
    return <NewPolicyForm policy={policy} onChange={onChange} onCancel={() => setIsMaking(false)} />;
  return (
    <>
      <section class="panel">
        <h2>{texts.inherited}</h2>
        <p>
          {texts.inheritedText} {policy.allowExternalIdps ? texts.allProviders : texts.providersOff}
        </p>
        {mayWrite && (
          <div class="actions">
            <Button look="first" onClick={() => setIsMaking(true)}>
              {texts.makeOwn}
            </Button>
          </div>
        )}
      </section>
      <PolicyFacts policy={policy} />
    </>
  );
}

function OwnPolicy({ organization, policy, read, onChange }: ViewProps): JSX.Element {
  const mayWrite = useCan()("policy.write");
  const client = useClient(LoginPolicyService);
  return (
    <>
      {mayWrite ? (
        <PolicyForm
          request={UpdateLoginPolicyRequestSchema}
          policy={policy}
          save={(request, options) => client.updateLoginPolicy(request, options)}
          onChange={onChange}
          read={read}
        />
      ) : (
        <PolicyFacts policy={policy} />
      )}
      <OfferedProviders organization={organization} policy={policy} onChange={onChange} />
      {mayWrite && <ResetPanel policy={policy} onChange={onChange} />}
    </>
  );
}

function ResetPanel({ policy, onChange }: Pick<ViewProps, "policy" | "onChange">): JSX.Element {
  const texts = useTexts(policyTexts);
  const client = useClient(LoginPolicyService);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section class="panel">
      <h2>{texts.reset}</h2>
      <p>{texts.resetText}</p>
      <div class="actions">
        <Button look="danger" onClick={() => setIsOpen(true)}>
          {texts.reset}
        </Button>
      </div>
      {isOpen && (
        <RemovalDialog
          items={[{ id: "login_policy", name: texts.ownName, details: policy.details }]}
          remove={(_item, options) => client.resetLoginPolicy({}, options)}
          onClose={() => setIsOpen(false)}
          onChanged={onChange}
          onRemoved={() => {
            setIsOpen(false);
            void onChange();
          }}
        />
      )}
    </section>
  );
}
