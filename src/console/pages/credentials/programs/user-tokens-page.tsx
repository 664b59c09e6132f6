import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi, useCan, useClient } from "../../../api/api.ts";
import { UserFrame } from "../../../frames/user-frame.tsx";
import type { PersonalAccessToken } from "../../../../../gen/console/gatehouse/v1/personal_access_token_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import type { PageProps } from "../../../routing/page-entry.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { CredentialList } from "../shared/credential-list.tsx";
import { credentialTexts } from "../shared/credential-texts.ts";
import { useExpiry } from "../shared/use-expiry.ts";
import { AddTokenDialog } from "./add-token-dialog.tsx";
import { programTexts } from "./program-texts.ts";

/** Shows the personal access tokens of a user. */
export function UserTokensPage({ params }: PageProps<"organization" | "user">): JSX.Element {
  const isSelf = useApi().user.id === params.user;
  const mayWrite = useCan()("user.credential.write") || isSelf;
  return (
    <UserFrame params={params}>{(user) => <TokensPanel userId={user.id} mayWrite={mayWrite} />}</UserFrame>
  );
}

function TokensPanel({
  userId,
  mayWrite,
}: {
  readonly userId: string;
  readonly mayWrite: boolean;
}): JSX.Element {
  const texts = useTexts(programTexts).tokens;
  const shared = useTexts(credentialTexts);
  const { date } = useFormats();
  const formatExpiry = useExpiry();
  const client = useClient(UserService);
  const [isAdding, setIsAdding] = useState(false);
  const [version, setVersion] = useState(0);
  return (
    <>
      <CredentialList<PersonalAccessToken>
        name={texts.title}
        lead={texts.lead}
        actions={mayWrite && <Button onClick={() => setIsAdding(true)}>{texts.add}</Button>}
        inputs={[client, userId, version]}
        load={async ({ filters: _filters, ...page }) => {
          const answer = await client.listPersonalAccessTokens({ userId, ...page });
          return { ...answer, rows: answer.personalAccessTokens };
        }}
        columns={[
          { title: texts.id, text: ({ id }) => id, render: ({ id }) => <code>{id}</code> },
          { title: shared.created, text: ({ details }) => date(details?.creationDate), isMinor: true },
          { title: shared.expires, text: ({ expirationDate }) => formatExpiry(expirationDate) },
          {
            title: texts.roles,
            text: ({ isLimited }) => (isLimited ? texts.limited : texts.all),
            isMinor: true,
          },
        ]}
        idOf={({ id }) => id}
        nameOf={({ id }) => texts.name(id)}
        detailsOf={({ details }) => details}
        remove={
          mayWrite
            ? ({ id }, options) => client.removePersonalAccessToken({ userId, tokenId: id }, options)
            : undefined
        }
        empty={texts.empty}
      />
      {isAdding && (
        <AddTokenDialog
          userId={userId}
          onClose={() => setIsAdding(false)}
          onAdded={() => setVersion((last) => last + 1)}
        />
      )}
    </>
  );
}
