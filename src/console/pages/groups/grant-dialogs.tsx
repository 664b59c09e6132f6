import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { ifUnchanged, withKey } from "../../api/call-options.ts";
import type { GroupGrant } from "../../../../gen/console/gatehouse/v1/group_pb.ts";
import {
  AddGroupGrantRequestSchema,
  GroupService,
  UpdateGroupGrantRequestSchema,
} from "../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ChecksField } from "../../ui/form/choice-fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PeriodFields, usePeriodCheck } from "../../ui/period/period-fields.tsx";
import { readPeriodChange, readPeriodTexts, toPeriodTexts } from "../../ui/period/period.ts";
import { QueryView } from "../../ui/query-view.tsx";
import { ProjectFields, useMayGive } from "../user-grants/project-fields.tsx";
import { type GivableProject, useGivableProjects, useGivableRoles } from "../user-grants/projects.ts";
import { groupTexts } from "./texts.ts";

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Gives a group roles of a project. */
export function AddGrantDialog(props: DialogProps & { readonly groupId: string }): JSX.Element {
  const texts = useTexts(groupTexts).grants;
  const projects = useGivableProjects();
  const mayGive = useMayGive();
  return (
    <Dialog title={texts.add} onClose={props.onClose}>
      <QueryView query={projects}>{(all) => <AddForm {...props} projects={all.filter(mayGive)} />}</QueryView>
    </Dialog>
  );
}

function AddForm({
  groupId,
  projects,
  onClose,
  onDone,
}: DialogProps & { readonly groupId: string; readonly projects: readonly GivableProject[] }): JSX.Element {
  const texts = useTexts(groupTexts).grants;
  const notify = useNotify();
  const client = useClient(GroupService);
  const checkPeriod = usePeriodCheck();
  const none: readonly string[] = [];
  const form = useForm({
    request: AddGroupGrantRequestSchema,
    initial: { projectId: "", roleKeys: none, ...toPeriodTexts({}) },
    check: (values) => checkPeriod(values),
    async submit({ projectId, roleKeys, ...period }, key) {
      const projectGrantId = projects.find(({ id }) => id === projectId)?.grant?.id ?? "";
      await client.addGroupGrant(
        { groupId, projectId, projectGrantId, roleKeys: [...roleKeys], ...readPeriodTexts(period) },
        withKey(key),
      );
      notify(texts.added);
      onDone();
    },
  });
  return (
    <FormView form={form} submitText={texts.add} onCancel={onClose}>
      <ProjectFields form={form} projects={projects} />
      <PeriodFields form={form} />
    </FormView>
  );
}

/** Changes the roles and the dates of a group grant. */
export function EditGrantDialog(
  props: DialogProps & { readonly grant: GroupGrant; readonly project: string },
): JSX.Element {
  const texts = useTexts(groupTexts).grants;
  const projects = useGivableProjects();
  const { grant, project } = props;
  return (
    <Dialog title={texts.editOf(project)} onClose={props.onClose}>
      <QueryView query={projects}>
        {(all) => <EditForm {...props} givable={all.find(({ id }) => id === grant.projectId)} />}
      </QueryView>
    </Dialog>
  );
}

function EditForm({
  grant,
  givable,
  onClose,
  onDone,
}: DialogProps & {
  readonly grant: GroupGrant;
  readonly givable: GivableProject | undefined;
}): JSX.Element {
  const texts = useTexts(groupTexts).grants;
  const notify = useNotify();
  const client = useClient(GroupService);
  const roles = useGivableRoles(givable);
  const { id: grantId, groupId, details } = grant;
  const stored: readonly string[] = grant.roleKeys;
  const checkPeriod = usePeriodCheck();
  const form = useForm({
    request: UpdateGroupGrantRequestSchema,
    of: grantId,
    initial: { roleKeys: stored, ...toPeriodTexts(grant) },
    version: details,
    check: (values) => checkPeriod(values),
    async submit({ roleKeys, ...period }, _key, version) {
      const wanted = { roleKeys: [...roleKeys], ...readPeriodChange(period, grant) };
      await client.updateGroupGrant({ groupId, grantId, ...wanted }, ifUnchanged(version));
      notify(texts.saved);
      onDone();
    },
    async readStored() {
      const { groupGrant } = await client.getGroupGrant({ groupId, grantId });
      const keys: readonly string[] = groupGrant?.roleKeys ?? [];
      const values = { roleKeys: keys, ...toPeriodTexts(groupGrant ?? {}) };
      return { values, version: groupGrant?.details };
    },
  });
  return (
    <FormView form={form} isChange onCancel={onClose}>
      <QueryView query={roles}>
        {(options) => <ChecksField form={form} name="roleKeys" label={texts.roles} options={options} />}
      </QueryView>
      <PeriodFields form={form} />
    </FormView>
  );
}
