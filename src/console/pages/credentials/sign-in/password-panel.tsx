import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import type { User } from "../../../../../gen/console/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { RemovalDialog } from "../../../ui/removal-dialog.tsx";
import { useLater } from "../../../ui/use-later.ts";
import { signInTexts } from "./sign-in-texts.ts";

/** Props of the panel of a person's password. */
export interface PasswordPanelProps {
  readonly user: User;
  readonly mayWrite: boolean;
  readonly onChange: () => Promise<void>;
}

/** Says whether a person has a password, and since when; sets it, makes a code for another one, and removes it. */
export function PasswordPanel({ user, mayWrite, onChange }: PasswordPanelProps): JSX.Element | null {
  const texts = useTexts(signInTexts).password;
  const { date } = useFormats();
  const client = useClient(UserService);
  const [open, setOpen] = useState<"set" | "reset" | "remove">();
  const dialogs = useLater(
    async () => ({
      ...(await import("./set-password-dialog.tsx")),
      ...(await import("./reset-password-dialog.tsx")),
    }),
    mayWrite,
  );
  if (user.type.case !== "human") return null;
  const { hasPassword, passwordChangeDate, passwordChangeRequired, email } = user.type.value;
  const close = (): void => setOpen(undefined);
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <p>{hasPassword ? texts.setOn(date(passwordChangeDate)) : texts.missing}</p>
      {passwordChangeRequired && <p>{texts.mustChange}</p>}
      {mayWrite && (
        <div class="actions">
          <Button onClick={() => setOpen("reset")}>{texts.reset}</Button>
          <Button onClick={() => setOpen("set")}>{texts.set}</Button>
          {hasPassword && (
            <Button look="danger" onClick={() => setOpen("remove")}>
              {texts.remove}
            </Button>
          )}
        </div>
      )}
      {open === "set" && dialogs && (
        <dialogs.SetPasswordDialog user={user} onChange={onChange} onClose={close} />
      )}
      {open === "reset" && dialogs && (
        <dialogs.ResetPasswordDialog user={user} email={email} onChange={onChange} onClose={close} />
      )}
      {open === "remove" && (
        <RemovalDialog
          items={[{ id: user.id, name: texts.name, details: user.details }]}
          remove={({ id }, options) => client.removePassword({ userId: id }, options)}
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
