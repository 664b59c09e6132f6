import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import type { User } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import {
  SetEmailRequestSchema,
  SetPhoneRequestSchema,
  UserService,
} from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
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
import { userActionTexts, userTexts } from "./texts.ts";

/** Props of the panel of an address to which codes are sent. */
export interface AddressPanelProps {
  readonly kind: "email" | "phone";
  readonly user: User;
  readonly mayWrite: boolean;
  /** Whether the user of the console may say that it belongs to the person, which nobody may of themselves. */
  readonly mayVouch: boolean;
  readonly onChange: () => Promise<void>;
}

/** Shows and changes the email or phone of a person, and removes the phone. */
export function AddressPanel(props: AddressPanelProps): JSX.Element | null {
  const { kind, user, mayWrite, onChange } = props;
  const texts = useTexts(userActionTexts);
  const client = useClient(UserService);
  const [open, setOpen] = useState<"set" | "remove">();
  if (user.type.case !== "human") return null;
  const { address, isVerified } = readAddress(kind, user);
  const resend = { email: client.resendEmailCode, phone: client.resendPhoneCode }[kind];
  const change = address === "" ? texts.set : texts.change;
  const close = (): void => setOpen(undefined);
  return (
    <section class="panel">
      <h2>{texts[kind]}</h2>
      {kind === "phone" && address === "" ? (
        <p class="hint">{texts.noPhone}</p>
      ) : (
        <p>
          {address} <span class="hint">({isVerified ? texts.verified : texts.unverified})</span>
        </p>
      )}
      {mayWrite && (
        <div class="actions">
          <Button onClick={() => setOpen("set")} label={`${texts[kind]}: ${change}`}>
            {change}
          </Button>
          {address !== "" && !isVerified && (
            <ActionButton
              run={() => resend({ userId: user.id }, ifUnchanged(user.details))}
              done={texts.resent}
              onDone={onChange}
            >
              {texts.resend}
            </ActionButton>
          )}
          {kind === "phone" && address !== "" && (
            <Button look="danger" onClick={() => setOpen("remove")}>
              {texts.removePhone}
            </Button>
          )}
        </div>
      )}
      {open === "set" && <AddressDialog {...props} onClose={close} />}
      {open === "remove" && (
        <RemovalDialog
          items={[{ id: user.id, name: address, details: user.details }]}
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

function AddressDialog({
  kind,
  user,
  mayVouch,
  onChange,
  onClose,
}: AddressPanelProps & { readonly onClose: () => void }): JSX.Element {
  const texts = useTexts(userActionTexts);
  const { phoneHint } = useTexts(userTexts);
  const notify = useNotify();
  const client = useClient(UserService);
  const toValues = (of: User | undefined): Record<string, string> => ({
    [kind]: readAddress(kind, of).address,
    verification: "sendCode",
  });
  const form = useForm({
    request: { email: SetEmailRequestSchema, phone: SetPhoneRequestSchema }[kind],
    initial: toValues(user),
    version: user.details,
    async submit(values, _key, version) {
      const verification =
        values["verification"] === "isVerified"
          ? ({ case: "isVerified", value: true } as const)
          : ({ case: "sendCode", value: {} } as const);
      const to = { userId: user.id, verification };
      const address = values[kind] ?? "";
      if (kind === "email") await client.setEmail({ ...to, email: address }, ifUnchanged(version));
      else await client.setPhone({ ...to, phone: address }, ifUnchanged(version));
      notify(kind === "email" ? texts.emailSaved : texts.phoneSaved);
      onClose();
      await onChange();
    },
    async readStored() {
      const { user: stored } = await client.getUser({ userId: user.id });
      await onChange();
      return { values: toValues(stored ?? user), version: stored?.details };
    },
  });
  return (
    <Dialog title={texts[kind]} onClose={onClose}>
      <FormView form={form} onCancel={onClose}>
        <TextField
          form={form}
          name={kind}
          label={texts[kind]}
          hint={kind === "phone" ? phoneHint : undefined}
          type={kind === "phone" ? "tel" : "email"}
          hasFocus
        />
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

function readAddress(
  kind: AddressPanelProps["kind"],
  user: User | undefined,
): { readonly address: string; readonly isVerified: boolean } {
  if (user?.type.case !== "human") return { address: "", isVerified: false };
  const { email, isEmailVerified, phone, isPhoneVerified } = user.type.value;
  return kind === "email"
    ? { address: email, isVerified: isEmailVerified }
    : { address: phone, isVerified: isPhoneVerified };
}
