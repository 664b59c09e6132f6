import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import type { User } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import { SetEmailRequestSchema, UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ChoiceField } from "../../ui/form/choice-fields.tsx";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { userActionTexts } from "./texts.ts";

/** Props of the panels of a person's profile. */
export interface UserPanelProps {
  readonly user: User;
  readonly mayWrite: boolean;
  /** Whether the user of the console may say that it belongs to the person, which nobody may of themselves. */
  readonly mayVouch: boolean;
  readonly onChange: () => Promise<void>;
}

/** Shows and changes the email of a person. */
export function EmailPanel({ user, mayWrite, mayVouch, onChange }: UserPanelProps): JSX.Element | null {
  const texts = useTexts(userActionTexts);
  const client = useClient(UserService);
  const [isOpen, setIsOpen] = useState(false);
  if (user.type.case !== "human") return null;
  const { email, isEmailVerified } = user.type.value;
  return (
    <section class="panel">
      <h2>{texts.email}</h2>
      <p>
        {email} <span class="hint">({isEmailVerified ? texts.verified : texts.unverified})</span>
      </p>
      {mayWrite && (
        <div class="actions">
          <Button onClick={() => setIsOpen(true)} label={`${texts.email}: ${texts.change}`}>
            {texts.change}
          </Button>
          {!isEmailVerified && (
            <ActionButton
              run={() => client.resendEmailCode({ userId: user.id }, ifUnchanged(user.details))}
              done={texts.resent}
              onDone={onChange}
            >
              {texts.resend}
            </ActionButton>
          )}
        </div>
      )}
      {isOpen && (
        <EmailDialog
          user={user}
          email={email}
          mayVouch={mayVouch}
          onChange={onChange}
          onClose={() => setIsOpen(false)}
        />
      )}
    </section>
  );
}

function EmailDialog({
  user,
  email,
  mayVouch,
  onChange,
  onClose,
}: Omit<UserPanelProps, "mayWrite"> & { readonly email: string; readonly onClose: () => void }): JSX.Element {
  const texts = useTexts(userActionTexts);
  const notify = useNotify();
  const client = useClient(UserService);
  const form = useForm({
    request: SetEmailRequestSchema,
    initial: { email, verification: "sendCode" },
    version: user.details,
    async submit(values, _key, version) {
      const isVerified = values.verification === "isVerified";
      await client.setEmail(
        {
          userId: user.id,
          email: values.email,
          verification: isVerified ? { case: "isVerified", value: true } : { case: "sendCode", value: {} },
        },
        ifUnchanged(version),
      );
      notify(texts.emailSaved);
      onClose();
      await onChange();
    },
    async readStored() {
      const { user: stored } = await client.getUser({ userId: user.id });
      await onChange();
      const emailNow = stored?.type.case === "human" ? stored.type.value.email : email;
      return { values: { email: emailNow, verification: "sendCode" }, version: stored?.details };
    },
  });
  return (
    <Dialog title={texts.email} onClose={onClose}>
      <FormView form={form} onCancel={onClose}>
        <TextField form={form} name="email" label={texts.email} type="email" hasFocus />
        {mayVouch && (
          <ChoiceField
            form={form}
            name="verification"
            label={texts.verification}
            options={[
              { value: "sendCode", label: texts.sendCode },
              { value: "isVerified", label: texts.vouch },
            ]}
          />
        )}
      </FormView>
    </Dialog>
  );
}
