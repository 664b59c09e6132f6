import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { useQuery } from "../../api/use-query.ts";
import {
  type ProjectGrant,
  ProjectGrantState,
} from "../../../../gen/console/gatehouse/v1/project_grant_pb.ts";
import {
  ProjectService,
  UpdateProjectGrantRequestSchema,
} from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ActionDialog } from "../../ui/action-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy-button.tsx";
import { History } from "../../ui/events/history.tsx";
import { ObjectFacts } from "../../ui/facts.tsx";
import { ChecksField } from "../../ui/form/choice-fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNames } from "../../ui/names/use-names.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { PeriodFields, usePeriodCheck } from "../../ui/period/period-fields.tsx";
import { readPeriodChange, toPeriodTexts } from "../../ui/period/period.ts";
import { usePeriodFacts } from "../../ui/period/period-facts.ts";
import { QueryView } from "../../ui/query-view.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { RoleChips } from "./role-chips.tsx";
import { projectGrantTexts } from "./texts.ts";
import { useProjectRoles } from "./use-project-roles.ts";

type Params = PageProps<"organization" | "project" | "grant">["params"];

/** Shows the grant of a project to another organization: its roles, its state, and its removal. */
export function ProjectGrantPage({ params }: { readonly params: Params }): JSX.Element {
  const client = useClient(ProjectService);
  const names = useNames();
  const { project: projectId, grant: grantId } = params;
  const query = useQuery(async () => {
    const { projectGrant: grant } = await client.getProjectGrant({ projectId, grantId });
    if (grant === undefined) throw new Error("GetProjectGrant answered without a project grant");
    return { grant, name: (await names.organization(grant.grantedOrganizationId)).title };
  }, [client, projectId, grantId]);
  return (
    <QueryView query={query}>
      {({ grant, name }) => (
        <GrantView key={grant.id} params={params} grant={grant} name={name} onChange={query.reload} />
      )}
    </QueryView>
  );
}

interface ViewProps {
  readonly params: Params;
  readonly grant: ProjectGrant;
  /** The name of the organization that the grant is made to. */
  readonly name: string;
  readonly onChange: () => Promise<void>;
}

function GrantView(props: ViewProps): JSX.Element {
  const { params, grant, name } = props;
  const texts = useTexts(projectGrantTexts);
  const periodFacts = usePeriodFacts();
  const mayWrite = useCan()("project.grant.write", { project: params.project });
  return (
    <PageFrame
      title={texts.grantTitle(name)}
      mark={<StateMark state={grant.state} />}
      lead={grant.state === ProjectGrantState.ACTIVE ? undefined : texts.inactiveLead}
      parent={{
        to: toPath("/orgs/:organization/projects/:project/grants", params),
        title: `${grant.projectName}: ${texts.title}`,
      }}
      actions={mayWrite && <Actions {...props} />}
    >
      {mayWrite ? (
        <RolesForm {...props} />
      ) : (
        <section class="panel">
          <h2>{texts.roles}</h2>
          <RoleChips roles={grant.roleKeys} />
        </section>
      )}
      <ObjectFacts
        id={grant.id}
        details={grant.details}
        more={[
          ...periodFacts(grant),
          {
            label: texts.organization,
            value: <Code text={grant.grantedOrganizationId} label={texts.organization} />,
          },
        ]}
      />
      <History aggregate="project_grant" id={grant.id} version={grant.details?.sequence} />
    </PageFrame>
  );
}

function RolesForm({ params, grant, onChange }: ViewProps): JSX.Element {
  const texts = useTexts(projectGrantTexts);
  const notify = useNotify();
  const client = useClient(ProjectService);
  const roles = useProjectRoles(params.project);
  const ids = { projectId: params.project, grantId: grant.id };
  const held: readonly string[] = grant.roleKeys;
  const checkPeriod = usePeriodCheck();
  const form = useForm({
    request: UpdateProjectGrantRequestSchema,
    initial: { roleKeys: held, ...toPeriodTexts(grant) },
    version: grant.details,
    check: (values) => checkPeriod(values),
    async submit({ roleKeys, ...period }, _key, version) {
      const wanted = { roleKeys: [...roleKeys], ...readPeriodChange(period, grant) };
      await client.updateProjectGrant({ ...ids, ...wanted }, ifUnchanged(version));
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const { projectGrant: stored } = await client.getProjectGrant(ids);
      await onChange();
      const values = { roleKeys: stored?.roleKeys ?? [], ...toPeriodTexts(stored ?? {}) };
      return { values, version: stored?.details };
    },
  });
  const lost = held.filter((role) => !form.values.roleKeys.includes(role));
  return (
    <QueryView query={roles}>
      {(options) => (
        <FormView form={form} isChange isDanger={lost.length > 0}>
          <div>
            <ChecksField
              form={form}
              name="roleKeys"
              label={texts.roles}
              hint={options.length === 0 ? texts.noRoles : texts.rolesHint}
              options={options}
            />
            <p class="field-error" role="status">
              {lost.length > 0 && texts.losing(lost.join(", "))}
            </p>
          </div>
          <PeriodFields form={form} />
        </FormView>
      )}
    </QueryView>
  );
}

function Actions({ params, grant, name, onChange }: ViewProps): JSX.Element {
  const texts = useTexts(projectGrantTexts);
  const { go } = useNavigation();
  const client = useClient(ProjectService);
  const [open, setOpen] = useState<"deactivate" | "remove">();
  const { id, details, state } = grant;
  const ids = { projectId: params.project, grantId: id };
  return (
    <>
      {state === ProjectGrantState.ACTIVE ? (
        <Button onClick={() => setOpen("deactivate")}>{texts.deactivate}</Button>
      ) : (
        <ActionButton
          run={() => client.reactivateProjectGrant(ids, ifUnchanged(details))}
          done={texts.reactivated}
          onDone={onChange}
        >
          {texts.reactivate}
        </ActionButton>
      )}
      <Button look="danger" onClick={() => setOpen("remove")}>
        {texts.remove}
      </Button>
      {open === "deactivate" && (
        <ActionDialog
          title={texts.deactivateTitle(name)}
          text={texts.deactivateText}
          actionText={texts.deactivate}
          done={texts.deactivated}
          run={() => client.deactivateProjectGrant(ids, ifUnchanged(details))}
          onClose={() => setOpen(undefined)}
          onDone={onChange}
        />
      )}
      {open === "remove" && (
        <RemovalDialog
          items={[{ id, details, name: texts.nameOf(name) }]}
          remove={(_item, options) => client.removeProjectGrant(ids, options)}
          onClose={() => setOpen(undefined)}
          onChanged={onChange}
          onRemoved={() =>
            go(toPath("/orgs/:organization/projects/:project/grants", params), { replaces: true })
          }
        />
      )}
    </>
  );
}
