import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import { toFieldError } from "../../api/call-problem.ts";
import { useQuery } from "../../api/use-query.ts";
import { OrganizationService } from "../../../../gen/console/gatehouse/v1/organization_service_pb.ts";
import {
  AddProjectGrantRequestSchema,
  ProjectService,
} from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ChecksField, type Option } from "../../ui/form/choice-fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { ReferenceField } from "../../ui/form/reference-field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { findOrganization } from "../../ui/names/find-object.ts";
import { isId } from "../../ui/names/named-object.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { PeriodFields, usePeriodCheck } from "../../ui/period/period-fields.tsx";
import { readPeriodTexts, toPeriodTexts } from "../../ui/period/period.ts";
import { QueryView } from "../../ui/query-view.tsx";
import { projectGrantTexts } from "./texts.ts";
import { useProjectRoles } from "./use-project-roles.ts";

type Props = PageProps<"organization" | "project">;

/** Grants roles of a project to another organization, and goes to the grant. */
export function AddProjectGrantPage({ params }: Props): JSX.Element {
  const texts = useTexts(projectGrantTexts);
  const client = useClient(ProjectService);
  const project = useQuery(() => client.getProject({ id: params.project }), [client, params.project]);
  const roles = useProjectRoles(params.project);
  const name = project.data?.project?.name ?? "";
  return (
    <PageFrame
      title={name === "" ? texts.add : texts.addTitle(name)}
      lead={texts.lead}
      parent={{ to: toPath("/orgs/:organization/projects/:project/grants", params), title: texts.title }}
    >
      <QueryView query={roles}>{(options) => <AddForm params={params} roles={options} />}</QueryView>
    </PageFrame>
  );
}

function AddForm({ params, roles }: Props & { readonly roles: readonly Option[] }): JSX.Element {
  const texts = useTexts(projectGrantTexts);
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(ProjectService);
  const organizations = useClient(OrganizationService);
  const find = (text: string) => findOrganization(organizations, text);
  const none: readonly string[] = [];
  const checkPeriod = usePeriodCheck();
  const form = useForm({
    request: AddProjectGrantRequestSchema,
    initial: { grantedOrganizationId: "", roleKeys: none, ...toPeriodTexts({}) },
    check: (values) => checkPeriod(values),
    async submit({ grantedOrganizationId: typed, roleKeys, ...period }, key) {
      // An id is good enough: the organization may be one that the user of the console may not read.
      const found =
        (await find(typed)) ?? (isId(typed.trim()) ? { id: typed.trim(), title: typed } : undefined);
      if (found === undefined) throw toFieldError("grantedOrganizationId", texts.organizationMissing);
      const { grantId } = await client.addProjectGrant(
        {
          projectId: params.project,
          grantedOrganizationId: found.id,
          roleKeys: [...roleKeys],
          ...readPeriodTexts(period),
        },
        withKey(key),
      );
      notify(texts.added(found.title));
      go(toPath("/orgs/:organization/projects/:project/grants/:grant", { ...params, grant: grantId }), {
        replaces: true,
      });
    },
  });
  return (
    <FormView
      form={form}
      submitText={texts.add}
      onCancel={() => go(toPath("/orgs/:organization/projects/:project/grants", params))}
    >
      <ReferenceField
        form={form}
        name="grantedOrganizationId"
        label={texts.organization}
        hint={texts.organizationHint}
        find={find}
        hasFocus
      />
      <ChecksField
        form={form}
        name="roleKeys"
        label={texts.roles}
        hint={roles.length === 0 ? texts.noRoles : texts.rolesHint}
        options={roles}
      />
      <PeriodFields form={form} />
    </FormView>
  );
}
