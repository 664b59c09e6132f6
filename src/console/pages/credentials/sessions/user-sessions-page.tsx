import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi, useCan, useClient } from "../../../api/api.ts";
import { UserFrame } from "../../../frames/user-frame.tsx";
import type { User } from "../../../../../gen/console/gatehouse/v1/user_pb.ts";
import { SessionService } from "../../../../../gen/console/gatehouse/v1/session_service_pb.ts";
import type { PageProps } from "../../../routing/page-entry.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { ActionDialog } from "../../../ui/action-dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { nameOfUser } from "../../../ui/user-name.ts";
import { KindGuard } from "../shared/kind-guard.tsx";
import { RefreshTokensPanel } from "./refresh-tokens-panel.tsx";
import { sessionTexts } from "./session-texts.ts";
import { SessionsPanel } from "./sessions-panel.tsx";

/** Shows the sessions of a person, and which applications go on without them; ends them. */
export function UserSessionsPage({ params }: PageProps<"organization" | "user">): JSX.Element {
  const isSelf = useApi().user.id === params.user;
  const mayWrite = useCan()("session.write") || isSelf;
  const [version, setVersion] = useState(0);
  return (
    <UserFrame
      params={params}
      actions={
        mayWrite
          ? (user) =>
              user.type.case === "human" && (
                <EndAll user={user} isSelf={isSelf} onDone={() => setVersion(version + 1)} />
              )
          : undefined
      }
    >
      {(user) => (
        <KindGuard user={user} kind="human">
          <SessionsPanel userId={user.id} mayWrite={mayWrite} version={version} />
          <RefreshTokensPanel userId={user.id} mayWrite={mayWrite} version={version} />
        </KindGuard>
      )}
    </UserFrame>
  );
}

function EndAll({
  user,
  isSelf,
  onDone,
}: {
  readonly user: User;
  readonly isSelf: boolean;
  readonly onDone: () => void;
}): JSX.Element {
  const texts = useTexts(sessionTexts);
  const client = useClient(SessionService);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button look="danger" onClick={() => setIsOpen(true)}>
        {texts.endAll}
      </Button>
      {isOpen && (
        <ActionDialog
          title={texts.endAllTitle(nameOfUser(user))}
          text={isSelf ? `${texts.endAllText} ${texts.endAllSelf}` : texts.endAllText}
          actionText={texts.endAll}
          done={texts.endAllDone}
          run={() => client.terminateUserSessions({ userId: user.id })}
          onClose={() => setIsOpen(false)}
          onDone={onDone}
          isDanger
        />
      )}
    </>
  );
}
