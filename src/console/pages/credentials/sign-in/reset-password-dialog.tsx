import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import { isConflict, readProblem } from "../../../api/call-problem.ts";
import {
  RequestPasswordResetRequestSchema,
  UserService,
} from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { ChoiceField } from "../../../ui/form/choice-fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { SecretDialog } from "../../../ui/secret-dialog.tsx";
import type { PasswordDialogProps } from "./set-password-dialog.tsx";
import { signInTexts } from "./sign-in-texts.ts";

/** Makes a code with which a person sets another password: sent to them, or shown once to the caller. */
export function ResetPasswordDialog({
  user,
  email,
  onChange,
  onClose,
}: PasswordDialogProps & { readonly email: string }): JSX.Element {
  const texts = useTexts(signInTexts).password;
  const notify = useNotify();
  const client = useClient(UserService);
  const [code, setCode] = useState("");
  const form = useForm({
    request: RequestPasswordResetRequestSchema,
    initial: { medium: email === "" ? "returnCode" : "sendLink" },
    version: user.details,
    async submit({ medium }, _key, version) {
      const { verificationCode } = await client
        .requestPasswordReset(
          {
            userId: user.id,
            medium:
              medium === "returnCode" ? { case: "returnCode", value: {} } : { case: "sendLink", value: {} },
          },
          ifUnchanged(version),
        )
        .catch(async (error: unknown) => {
          if (isConflict(readProblem(error))) await onChange(); // the next try is about the user as they are now
          throw error;
        });
      if (verificationCode === "") {
        notify(texts.sent(email));
        onClose();
      } else setCode(verificationCode);
      await onChange();
    },
  });
  if (code !== "") {
    return (
      <SecretDialog
        key="code"
        title={texts.codeTitle}
        secrets={[
          { label: texts.code, value: code },
          { label: texts.link, value: `${location.origin}/login/password/${user.id}?code=${code}` },
        ]}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog key="form" title={texts.reset} onClose={onClose}>
      <p>{texts.resetText}</p>
      <FormView form={form} submitText={texts.makeCode} onCancel={onClose}>
        <ChoiceField
          form={form}
          name="medium"
          label={texts.medium}
          options={[
            ...(email === "" ? [] : [{ value: "sendLink", label: texts.sendLink(email) }]),
            { value: "returnCode", label: texts.returnCode, hint: texts.returnCodeHint },
          ]}
        />
      </FormView>
    </Dialog>
  );
}
