import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { ifUnchanged, withKey } from "../../api/call-options.ts";
import type { Role } from "../../../../gen/console/gatehouse/v1/project_role_pb.ts";
import {
  AddProjectRoleRequestSchema,
  ProjectService,
  UpdateProjectRoleRequestSchema,
} from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { roleTexts } from "./texts.ts";

interface DialogProps {
  readonly projectId: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Adds a role to a project. */
export function AddRoleDialog({ projectId, onClose, onDone }: DialogProps): JSX.Element {
  const texts = useTexts(roleTexts);
  const notify = useNotify();
  const client = useClient(ProjectService);
  const form = useForm({
    request: AddProjectRoleRequestSchema,
    initial: { roleKey: "", displayName: "", group: "" },
    async submit(values, key) {
      await client.addProjectRole({ projectId, ...values }, withKey(key));
      notify(texts.added(values.roleKey));
      onDone();
    },
  });
  return (
    <Dialog title={texts.add} onClose={onClose}>
      <FormView form={form} submitText={texts.add} onCancel={onClose}>
        <TextField form={form} name="roleKey" label={texts.key} hint={texts.keyHint} hasFocus />
        <TextField form={form} name="displayName" label={texts.displayName} />
        <TextField form={form} name="group" label={texts.group} hint={texts.groupHint} />
      </FormView>
    </Dialog>
  );
}

/** Changes how a role is shown. */
export function EditRoleDialog({
  projectId,
  role,
  onClose,
  onDone,
}: DialogProps & { readonly role: Role }): JSX.Element {
  const texts = useTexts(roleTexts);
  const notify = useNotify();
  const client = useClient(ProjectService);
  const { key: roleKey, displayName, group, details } = role;
  const form = useForm({
    request: UpdateProjectRoleRequestSchema,
    of: roleKey,
    initial: { displayName, group },
    version: details,
    async submit(values, _key, version) {
      await client.updateProjectRole({ projectId, roleKey, ...values }, ifUnchanged(version));
      notify(texts.saved(roleKey));
      onDone();
    },
    async readStored() {
      // There is no call that reads a single role.
      const { projectRoles } = await client.listProjectRoles({ projectId, pageSize: 1000 });
      const stored = projectRoles.find(({ key }) => key === roleKey) ?? role;
      const values = { displayName: stored.displayName, group: stored.group };
      return { values, version: stored.details };
    },
  });
  return (
    <Dialog title={texts.editTitle(roleKey)} onClose={onClose}>
      <FormView form={form} isChange onCancel={onClose}>
        <TextField form={form} name="displayName" label={texts.displayName} hasFocus />
        <TextField form={form} name="group" label={texts.group} hint={texts.groupHint} />
      </FormView>
    </Dialog>
  );
}
