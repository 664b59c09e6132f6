import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../../api/api.ts";
import { UserFrame } from "../../../frames/user-frame.tsx";
import type { Key } from "../../../../../gen/console/gatehouse/v1/key_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import type { PageProps } from "../../../routing/page-entry.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { CredentialList } from "../shared/credential-list.tsx";
import { credentialTexts } from "../shared/credential-texts.ts";
import { KindGuard } from "../shared/kind-guard.tsx";
import { useExpiry } from "../shared/use-expiry.ts";
import { AddServiceKeyDialog } from "./add-service-key-dialog.tsx";
import { ClientSecretPanel } from "./client-secret-panel.tsx";
import { programTexts } from "./program-texts.ts";

/** Shows the keys and the client secret of a service user. */
export function ServiceKeysPage({ params }: PageProps<"organization" | "user">): JSX.Element {
  const mayWrite = useCan()("user.credential.write");
  return (
    <UserFrame params={params}>
      {(user) => (
        <KindGuard user={user} kind="service">
          <ServiceKeysPanel userId={user.id} mayWrite={mayWrite} />
          {mayWrite && <ClientSecretPanel userId={user.id} />}
        </KindGuard>
      )}
    </UserFrame>
  );
}

function ServiceKeysPanel({
  userId,
  mayWrite,
}: {
  readonly userId: string;
  readonly mayWrite: boolean;
}): JSX.Element {
  const texts = useTexts(programTexts).keys;
  const shared = useTexts(credentialTexts);
  const { date } = useFormats();
  const formatExpiry = useExpiry();
  const client = useClient(UserService);
  const [isAdding, setIsAdding] = useState(false);
  const [version, setVersion] = useState(0);
  return (
    <>
      <CredentialList<Key>
        name={texts.title}
        lead={texts.lead}
        actions={mayWrite && <Button onClick={() => setIsAdding(true)}>{texts.add}</Button>}
        inputs={[client, userId, version]}
        load={async ({ filters: _filters, ...page }) => {
          const answer = await client.listServiceUserKeys({ userId, ...page });
          return { ...answer, rows: answer.keys };
        }}
        columns={[
          { title: texts.id, text: ({ id }) => id, render: ({ id }) => <code>{id}</code> },
          { title: shared.created, text: ({ details }) => date(details?.creationDate), isMinor: true },
          { title: shared.expires, text: ({ expirationDate }) => formatExpiry(expirationDate) },
        ]}
        idOf={({ id }) => id}
        nameOf={({ id }) => texts.name(id)}
        detailsOf={({ details }) => details}
        remove={
          mayWrite
            ? ({ id }, options) => client.removeServiceUserKey({ userId, keyId: id }, options)
            : undefined
        }
        empty={texts.empty}
      />
      {isAdding && (
        <AddServiceKeyDialog
          userId={userId}
          onClose={() => setIsAdding(false)}
          onAdded={() => setVersion((last) => last + 1)}
        />
      )}
    </>
  );
}
