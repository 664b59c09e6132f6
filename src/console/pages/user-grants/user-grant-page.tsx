import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { UserGrantState } from "../../../../gen/console/gatehouse/v1/user_grant_pb.ts";
import {
  UpdateUserGrantRequestSchema,
  UserGrantService,
} from "../../../../gen/console/gatehouse/v1/user_grant_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Button } from "../../ui/button.tsx";
import { History } from "../../ui/events/history.tsx";
import { ObjectFacts } from "../../ui/facts.tsx";
import { ChecksField } from "../../ui/form/choice-fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { PeriodFields, usePeriodCheck } from "../../ui/period/period-fields.tsx";
import { readPeriodChange, toPeriodTexts } from "../../ui/period/period.ts";
import { usePeriodFacts } from "../../ui/period/period-facts.ts";
import { QueryView } from "../../ui/query-view.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { type GrantFacts, type GrantParams, useGrantFacts } from "./grant-facts.ts";
import { useGivableRoles } from "./projects.ts";
import { userGrantTexts } from "./texts.ts";
import { WhyPanel } from "./why-panel.tsx";
import { WhyRoles } from "./why-roles.tsx";

/** Shows a user grant: its roles, what it gives now and why, its state, and its removal. */
export function UserGrantPage({ params }: PageProps<"organization" | "user" | "grant">): JSX.Element {
  const query = useGrantFacts(params);
  return (
    <QueryView query={query}>
      {(facts) => <GrantView key={facts.grant.id} params={params} facts={facts} onChange={query.reload} />}
    </QueryView>
  );
}

interface ViewProps {
  readonly params: GrantParams;
  readonly facts: GrantFacts;
  readonly onChange: () => Promise<void>;
}

function GrantView(props: ViewProps): JSX.Element {
  const { params, facts } = props;
  const { grant, userName, projectName } = facts;
  const texts = useTexts(userGrantTexts);
  const periodFacts = usePeriodFacts();
  const mayWrite = useCan()("user.grant.write", {
    project: grant.projectId,
    projectGrant: grant.projectGrantId,
  });
  return (
    <PageFrame
      title={texts.nameOf(userName, projectName)}
      mark={<StateMark state={grant.state} />}
      parent={{ to: toPath("/orgs/:organization/user-grants", params), title: texts.title }}
      actions={
        <>
          <WhyRoles userId={grant.userId} of={grant} />
          {mayWrite && <Actions {...props} />}
        </>
      }
    >
      <WhyPanel facts={facts} />
      {mayWrite && <RolesForm {...props} />}
      <ObjectFacts id={grant.id} details={grant.details} more={periodFacts(grant)} />
      <History aggregate="user_grant" id={grant.id} version={grant.details?.sequence} />
    </PageFrame>
  );
}

function RolesForm({ params, facts, onChange }: ViewProps): JSX.Element {
  const { grant, projectGrant, projectName } = facts;
  const texts = useTexts(userGrantTexts);
  const notify = useNotify();
  const client = useClient(UserGrantService);
  const roles = useGivableRoles({ id: grant.projectId, name: projectName, grant: projectGrant });
  const ids = { userId: params.user, grantId: grant.id };
  const held: readonly string[] = grant.roleKeys;
  const checkPeriod = usePeriodCheck();
  const form = useForm({
    request: UpdateUserGrantRequestSchema,
    initial: { roleKeys: held, ...toPeriodTexts(grant) },
    version: grant.details,
    check: (values) => checkPeriod(values),
    async submit({ roleKeys, ...period }, _key, version) {
      const wanted = { roleKeys: [...roleKeys], ...readPeriodChange(period, grant) };
      await client.updateUserGrant({ ...ids, ...wanted }, ifUnchanged(version));
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const { userGrant: stored } = await client.getUserGrant(ids);
      await onChange();
      const values = { roleKeys: stored?.roleKeys ?? [], ...toPeriodTexts(stored ?? {}) };
      return { values, version: stored?.details };
    },
  });
  return (
    <QueryView query={roles}>
      {(options) => (
        <FormView form={form} isChange>
          <ChecksField
            form={form}
            name="roleKeys"
            label={texts.roles}
            hint={options.length === 0 ? texts.noRoles : texts.rolesHint}
            options={options}
          />
          <PeriodFields form={form} />
        </FormView>
      )}
    </QueryView>
  );
}

function Actions({ params, facts, onChange }: ViewProps): JSX.Element {
  const { grant, userName, projectName } = facts;
  const texts = useTexts(userGrantTexts);
  const { go } = useNavigation();
  const client = useClient(UserGrantService);
  const [isRemoving, setIsRemoving] = useState(false);
  const { id, details, state } = grant;
  const ids = { userId: params.user, grantId: id };
  const isActive = state === UserGrantState.ACTIVE;
  return (
    <>
      <ActionButton
        run={() =>
          isActive
            ? client.deactivateUserGrant(ids, ifUnchanged(details))
            : client.reactivateUserGrant(ids, ifUnchanged(details))
        }
        done={isActive ? texts.deactivated : texts.reactivated}
        onDone={onChange}
      >
        {isActive ? texts.deactivate : texts.reactivate}
      </ActionButton>
      <Button look="danger" onClick={() => setIsRemoving(true)}>
        {texts.remove}
      </Button>
      {isRemoving && (
        <RemovalDialog
          items={[{ id, details, name: texts.nameOf(userName, projectName) }]}
          remove={(_item, options) => client.removeUserGrant(ids, options)}
          onClose={() => setIsRemoving(false)}
          onChanged={onChange}
          onRemoved={() => go(toPath("/orgs/:organization/user-grants", params), { replaces: true })}
        />
      )}
    </>
  );
}
