import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import type { LoginPolicy, LoginPolicyIdp } from "../../../../../gen/console/gatehouse/v1/login_policy_pb.ts";
import { LoginPolicyService } from "../../../../../gen/console/gatehouse/v1/login_policy_service_pb.ts";
import { toPath } from "../../../routing/routes.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { ActionDialog } from "../../../ui/action-dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { List } from "../../../ui/list/list.tsx";
import { StateMark, toObjectState } from "../../../ui/state-mark.tsx";
import { policyTexts } from "../shared/texts.ts";
import { OfferDialog } from "./offer-dialog.tsx";

/** Props of the identity providers that the own policy of an organization lists. */
export interface OfferedProvidersProps {
  readonly organization: string;
  readonly policy: LoginPolicy;
  /** Reads the policy again, of which the list is a part. */
  readonly onChange: () => Promise<void>;
}

/** Lists the identity providers that logins to the organization offer. */
export function OfferedProviders({ organization, policy, onChange }: OfferedProvidersProps): JSX.Element {
  const texts = useTexts(policyTexts);
  const { date } = useFormats();
  const can = useCan();
  const mayWrite = can("policy.write");
  const client = useClient(LoginPolicyService);
  const [isAdding, setIsAdding] = useState(false);
  const [leaving, setLeaving] = useState<LoginPolicyIdp>();
  return (
    <section class="panel">
      <h2>{texts.providers}</h2>
      <p class="hint">{policy.allowExternalIdps ? texts.providersLead : texts.providersOff}</p>
      {mayWrite && can("idp.read") && (
        <div class="actions">
          <Button onClick={() => setIsAdding(true)}>{texts.offer}</Button>
        </div>
      )}
      <List<LoginPolicyIdp>
        name={texts.providers}
        inputs={[client, policy.details?.sequence]}
        load={async ({ filters: _filters, ...page }) => {
          const answer = await client.listLoginPolicyIdps(page);
          return { ...answer, rows: answer.idps };
        }}
        columns={[
          { title: texts.provider, text: ({ idpName }) => idpName },
          {
            title: texts.state,
            text: ({ state }) => toObjectState(state),
            render: ({ state }) => <StateMark state={state} />,
          },
          { title: texts.since, text: ({ details }) => date(details?.creationDate), isMinor: true },
        ]}
        idOf={({ idpId }) => idpId}
        linkOf={({ idpId }) =>
          toPath("/orgs/:organization/idps/:provider", { organization, provider: idpId })
        }
        rowActions={
          mayWrite
            ? (row) => (
                <Button
                  look="quiet"
                  label={`${texts.withdraw}: ${row.idpName}`}
                  onClick={() => setLeaving(row)}
                >
                  {texts.withdraw}
                </Button>
              )
            : undefined
        }
        empty={{ title: texts.noneTitle, text: texts.noneText }}
      />
      {isAdding && <OfferDialog onChange={onChange} onClose={() => setIsAdding(false)} />}
      {leaving !== undefined && (
        <ActionDialog
          title={texts.withdrawTitle(leaving.idpName)}
          text={texts.withdrawText}
          actionText={texts.withdraw}
          done={texts.withdrawn(leaving.idpName)}
          run={() => client.removeIdpFromLoginPolicy({ idpId: leaving.idpId }, ifUnchanged(policy.details))}
          onClose={() => setLeaving(undefined)}
          onDone={onChange}
        />
      )}
    </section>
  );
}
