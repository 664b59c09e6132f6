import type { JSX } from "preact";
import { useApi, useCan } from "../../../api/api.ts";
import { UserFrame } from "../../../frames/user-frame.tsx";
import type { PageProps } from "../../../routing/page-entry.ts";
import { KindGuard } from "../shared/kind-guard.tsx";
import { OwnNote } from "../shared/own-note.tsx";
import { LinksPanel } from "./links-panel.tsx";
import { PasskeysPanel } from "./passkeys-panel.tsx";
import { PasswordPanel } from "./password-panel.tsx";
import { RecoveryCodesPanel } from "./recovery-codes-panel.tsx";
import { SecondFactorsPanel } from "./second-factors-panel.tsx";

/** Shows what a person signs in with: password, passkeys, second factors, and identities at other providers. */
export function SignInMethodsPage({ params }: PageProps<"organization" | "user">): JSX.Element {
  const isSelf = useApi().user.id === params.user;
  const mayWrite = useCan()("user.credential.write") && !isSelf;
  return (
    <UserFrame params={params}>
      {(user, reload) => (
        <KindGuard user={user} kind="human">
          {isSelf && <OwnNote />}
          <PasswordPanel user={user} mayWrite={mayWrite} onChange={reload} />
          <PasskeysPanel userId={user.id} mayWrite={mayWrite} />
          <SecondFactorsPanel userId={user.id} mayWrite={mayWrite} />
          {mayWrite && <RecoveryCodesPanel userId={user.id} />}
          <LinksPanel userId={user.id} mayWrite={mayWrite} />
        </KindGuard>
      )}
    </UserFrame>
  );
}
