import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi, useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { type User, UserState } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ActionDialog } from "../../ui/action-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { nameOfUser } from "../../ui/user-name.ts";
import { userActionTexts } from "./texts.ts";

/** Props of the buttons for a user. */
export interface UserActionsProps {
  readonly user: User;
  readonly organizationId: string;
  readonly onChange: () => Promise<void>;
}

/** Buttons that lock, deactivate and remove a user, or take that back. */
export function UserActions({ user, organizationId, onChange }: UserActionsProps): JSX.Element {
  const texts = useTexts(userActionTexts);
  const { go } = useNavigation();
  const client = useClient(UserService);
  const [open, setOpen] = useState<"lock" | "deactivate" | "remove">();
  const { id: userId, state, details } = user;
  const { user: own } = useApi();
  const isSelf = own.id === userId;
  const name = nameOfUser(user);
  const close = (): void => setOpen(undefined);
  return (
    <>
      {state === UserState.ACTIVE && (
        <>
          <Button onClick={() => setOpen("lock")}>{texts.lock}</Button>
          <Button onClick={() => setOpen("deactivate")}>{texts.deactivate}</Button>
        </>
      )}
      {state === UserState.LOCKED && (
        <ActionButton
          run={() => client.unlockUser({ userId }, ifUnchanged(details))}
          done={texts.unlocked(name)}
          onDone={onChange}
        >
          {texts.unlock}
        </ActionButton>
      )}
      {state === UserState.INACTIVE && (
        <ActionButton
          run={() => client.reactivateUser({ userId }, ifUnchanged(details))}
          done={texts.reactivated(name)}
          onDone={onChange}
        >
          {texts.reactivate}
        </ActionButton>
      )}
      <Button look="danger" onClick={() => setOpen("remove")}>
        {texts.remove}
      </Button>
      {open === "lock" && (
        <ActionDialog
          title={texts.lockTitle(name)}
          text={isSelf ? texts.selfText : texts.lockText}
          actionText={texts.lock}
          done={texts.locked(name)}
          run={() => client.lockUser({ userId }, ifUnchanged(details))}
          onClose={close}
          onDone={onChange}
        />
      )}
      {open === "deactivate" && (
        <ActionDialog
          title={texts.deactivateTitle(name)}
          text={isSelf ? texts.selfText : texts.deactivateText}
          actionText={texts.deactivate}
          done={texts.deactivated(name)}
          run={() => client.deactivateUser({ userId }, ifUnchanged(details))}
          onClose={close}
          onDone={onChange}
        />
      )}
      {open === "remove" && (
        <RemovalDialog
          items={[{ id: userId, name, details }]}
          note={isSelf ? texts.selfRemoval : undefined}
          remove={(_user, options) => client.removeUser({ userId }, options)}
          onClose={close}
          onChanged={onChange}
          onRemoved={() =>
            go(toPath("/orgs/:organization/users", { organization: organizationId }), { replaces: true })
          }
        />
      )}
    </>
  );
}
