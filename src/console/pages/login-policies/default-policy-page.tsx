import type { JSX } from "preact";
import { useCan, useClient } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import type { LoginPolicy } from "../../../../gen/console/gatehouse/v1/login_policy_pb.ts";
import {
  LoginPolicyService,
  UpdateDefaultLoginPolicyRequestSchema,
} from "../../../../gen/console/gatehouse/v1/login_policy_service_pb.ts";
import { Link } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { PolicyFacts } from "./policy-facts.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { policyTexts } from "./shared/texts.ts";

/** Shows the login policy of the instance, which holds wherever there is no other. */
export function DefaultPolicyPage(): JSX.Element {
  const texts = useTexts(policyTexts);
  const can = useCan();
  const mayWrite = can("policy.write");
  const client = useClient(LoginPolicyService);
  const read = async (): Promise<LoginPolicy> => {
    const { policy } = await client.getDefaultLoginPolicy({});
    if (policy === undefined) throw new Error("GetDefaultLoginPolicy answered without a policy");
    return policy;
  };
  const query = useQuery(read, [client]);
  return (
    <PageFrame title={texts.title} lead={texts.leadInstance}>
      <QueryView query={query}>
        {(policy) =>
          mayWrite ? (
            <PolicyForm
              request={UpdateDefaultLoginPolicyRequestSchema}
              policy={policy}
              save={(request, options) => client.updateDefaultLoginPolicy(request, options)}
              onChange={query.reload}
              read={read}
            />
          ) : (
            <PolicyFacts policy={policy} />
          )
        }
      </QueryView>
      {can("event.read") && (
        <p>
          <Link to="/events?kind=login_policy">{texts.events}</Link>
        </p>
      )}
    </PageFrame>
  );
}
