import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import { isConflict, readProblem, toFieldError } from "../../../api/call-problem.ts";
import type { User } from "../../../../../gen/console/gatehouse/v1/user_pb.ts";
import {
  SetPasswordRequestSchema,
  UserService,
} from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { CheckField, TextField } from "../../../ui/form/fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { signInTexts } from "./sign-in-texts.ts";

/** Props of the dialogs about a person's password. */
export interface PasswordDialogProps {
  readonly user: User;
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
}

/** Sets the password of another person, which they are to replace unless the caller says otherwise. */
export function SetPasswordDialog({ user, onChange, onClose }: PasswordDialogProps): JSX.Element {
  const texts = useTexts(signInTexts).password;
  const notify = useNotify();
  const client = useClient(UserService);
  const form = useForm({
    request: SetPasswordRequestSchema,
    initial: { password: "", changeRequired: true },
    version: user.details,
    secrets: ["password"],
    async submit(values, _key, version) {
      try {
        await client.setPassword({ userId: user.id, ...values }, ifUnchanged(version));
      } catch (error) {
        const problem = readProblem(error);
        if (isConflict(problem)) await onChange(); // the next try is about the user as they are now
        throw problem.reason === "PASSWORD_TOO_WEAK" ? toFieldError("password", problem.message) : error;
      }
      notify(texts.saved);
      onClose();
      await onChange();
    },
  });
  return (
    <Dialog title={texts.set} onClose={onClose}>
      <p>{texts.setText}</p>
      <FormView form={form} submitText={texts.set} onCancel={onClose}>
        <TextField
          form={form}
          name="password"
          label={texts.new}
          type="password"
          autocomplete="new-password"
          hasFocus
        />
        <CheckField
          form={form}
          name="changeRequired"
          label={texts.changeRequired}
          hint={texts.changeRequiredHint}
        />
      </FormView>
    </Dialog>
  );
}
