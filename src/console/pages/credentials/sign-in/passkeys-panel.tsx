import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { type Passkey, PasskeyState } from "../../../../../gen/console/gatehouse/v1/passkey_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { credentialTexts } from "../shared/credential-texts.ts";
import { CredentialList } from "../shared/credential-list.tsx";
import { signInTexts } from "./sign-in-texts.ts";

/** Props of the panels of what a person signs in with. */
export interface SignInPanelProps {
  readonly userId: string;
  readonly mayWrite: boolean;
}

/** Lists the passkeys of a person. */
export function PasskeysPanel({ userId, mayWrite }: SignInPanelProps): JSX.Element {
  const texts = useTexts(signInTexts);
  const { created } = useTexts(credentialTexts);
  const { date } = useFormats();
  const client = useClient(UserService);
  const nameOf = ({ name }: Passkey): string => (name === "" ? texts.unnamed : name);
  return (
    <CredentialList<Passkey>
      name={texts.passkeys.title}
      tag="passkeys"
      lead={texts.passkeys.lead}
      inputs={[client, userId]}
      load={async ({ filters: _filters, ...page }) => {
        const answer = await client.listPasskeys({ userId, ...page });
        return { ...answer, rows: answer.passkeys };
      }}
      columns={[
        { title: texts.name, text: nameOf },
        {
          title: texts.state,
          text: ({ state }) => (state === PasskeyState.READY ? texts.ready : texts.begun),
        },
        {
          title: texts.passkeys.copies,
          text: ({ isBackedUp }) => (isBackedUp ? texts.passkeys.copied : texts.passkeys.single),
          isMinor: true,
        },
        { title: texts.domain, text: ({ domain }) => domain, isMinor: true },
        { title: created, text: ({ details }) => date(details?.creationDate), isMinor: true },
      ]}
      idOf={({ id }) => id}
      nameOf={nameOf}
      detailsOf={({ details }) => details}
      remove={
        mayWrite ? ({ id }, options) => client.removePasskey({ userId, passkeyId: id }, options) : undefined
      }
      empty={texts.passkeys.empty}
    />
  );
}
