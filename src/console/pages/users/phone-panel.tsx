import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { SetPhoneRequestSchema, UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ChoiceField } from "../../ui/form/choice-fields.tsx";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import type { UserPanelProps } from "./email-panel.tsx";
import { userActionTexts, userTexts } from "./texts.ts";

/** Shows, changes and removes the phone of a person. */
export function PhonePanel({ user, mayWrite, mayVouch, onChange }: UserPanelProps): JSX.Element | null {
  const texts = useTexts(userActionTexts);
  const client = useClient(UserService);
  const [open, setOpen] = useState<"set" | "remove">();
  if (user.type.case !== "human") return null;
  const { phone, isPhoneVerified } = user.type.value;
  const close = (): void => setOpen(undefined);
  return (
    <section class="panel">
      <h2>{texts.phone}</h2>
      {phone === "" ? (
        <p class="hint">{texts.noPhone}</p>
      ) : (
        <p>
          {phone} <span class="hint">({isPhoneVerified ? texts.verified : texts.unverified})</span>
        </p>
      )}
      {mayWrite && (
        <div class="actions">
          <Button
            onClick={() => setOpen("set")}
            label={`${texts.phone}: ${phone === "" ? texts.set : texts.change}`}
          >
            {phone === "" ? texts.set : texts.change}
          </Button>
          {phone !== "" && !isPhoneVerified && (
            <ActionButton
              run={() => client.resendPhoneCode({ userId: user.id }, ifUnchanged(user.details))}
              done={texts.resent}
              onDone={onChange}
            >
              {texts.resend}
            </ActionButton>
          )}
          {phone !== "" && (
            <Button look="danger" onClick={() => setOpen("remove")}>
              {texts.removePhone}
            </Button>
          )}
        </div>
      )}
      {open === "set" && (
        <PhoneDialog user={user} phone={phone} mayVouch={mayVouch} onChange={onChange} onClose={close} />
      )}
      {open === "remove" && (
        <RemovalDialog
          items={[{ id: user.id, name: phone, details: user.details }]}
          remove={({ id }, options) => client.removePhone({ userId: id }, options)}
          onClose={close}
          onChanged={onChange}
          onRemoved={() => {
            close();
            void onChange();
          }}
        />
      )}
    </section>
  );
}

function PhoneDialog({
  user,
  phone,
  mayVouch,
  onChange,
  onClose,
}: Omit<UserPanelProps, "mayWrite"> & { readonly phone: string; readonly onClose: () => void }): JSX.Element {
  const texts = useTexts(userActionTexts);
  const { phoneHint } = useTexts(userTexts);
  const notify = useNotify();
  const client = useClient(UserService);
  const form = useForm({
    request: SetPhoneRequestSchema,
    initial: { phone, verification: "sendCode" },
    version: user.details,
    async submit(values, _key, version) {
      const isVerified = values.verification === "isVerified";
      await client.setPhone(
        {
          userId: user.id,
          phone: values.phone,
          verification: isVerified ? { case: "isVerified", value: true } : { case: "sendCode", value: {} },
        },
        ifUnchanged(version),
      );
      notify(texts.phoneSaved);
      onClose();
      await onChange();
    },
    async readStored() {
      const { user: stored } = await client.getUser({ userId: user.id });
      await onChange();
      const phoneNow = stored?.type.case === "human" ? stored.type.value.phone : phone;
      return { values: { phone: phoneNow, verification: "sendCode" }, version: stored?.details };
    },
  });
  return (
    <Dialog title={texts.phone} onClose={onClose}>
      <FormView form={form} onCancel={onClose}>
        <TextField form={form} name="phone" label={texts.phone} hint={phoneHint} type="tel" hasFocus />
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
