import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { UserState } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import type { AddressPanelProps } from "./address-panel.tsx";
import { userActionTexts } from "./texts.ts";

/** Shows the invitation of a person who cannot sign in with a password yet, and sends it again. */
export function InvitationPanel({
  user,
  mayWrite,
  mayVouch,
  onChange,
}: Omit<AddressPanelProps, "kind">): JSX.Element | null {
  const texts = useTexts(userActionTexts);
  const { date } = useFormats();
  const client = useClient(UserService);
  if (user.type.case !== "human" || user.type.value.hasPassword) return null;
  const { invitation } = user.type.value;
  const isOver =
    invitation?.expirationDate !== undefined &&
    Number(invitation.expirationDate.seconds) * 1000 <= new Date().getTime();
  const until = date(invitation?.expirationDate);
  const state = isOver ? texts.invitationOver(until) : texts.invitedUntil(until);
  return (
    <section class="panel">
      <h2>{texts.invitation}</h2>
      <p>{invitation === undefined ? texts.notInvited : state}</p>
      {mayWrite && mayVouch && user.state === UserState.ACTIVE && (
        <div class="actions">
          <ActionButton
            run={() => client.resendInvitation({ userId: user.id }, ifUnchanged(user.details))}
            done={texts.invitationSent}
            onDone={onChange}
          >
            {invitation === undefined ? texts.invite : texts.inviteAgain}
          </ActionButton>
        </div>
      )}
    </section>
  );
}
