import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { ApplicationService } from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import type { Key } from "../../../../../gen/console/gatehouse/v1/key_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { List } from "../../../ui/list/list.tsx";
import { RemovalDialog } from "../../../ui/removal-dialog.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { useLater } from "../../../ui/use-later.ts";
import type { ApplicationViewProps } from "../shared/view-props.ts";
import { keysTexts } from "./keys-texts.ts";

/** Shows the keys with which an application proves its identity. */
export function KeysPanel({ params, application, mayWrite }: ApplicationViewProps): JSX.Element {
  const texts = useTexts(keysTexts);
  const shared = useTexts(uiTexts);
  const client = useClient(ApplicationService);
  const [isAdding, setIsAdding] = useState(false);
  const [removal, setRemoval] = useState<Key>();
  const [version, setVersion] = useState(0);
  const formatExpiry = useExpiry();
  const Adding = useLater(async () => (await import("./add-key-dialog.tsx")).AddKeyDialog, mayWrite);
  const { date } = useFormats();
  const ids = { projectId: params.project, appId: application.id };
  const add = mayWrite && <Button onClick={() => setIsAdding(true)}>{texts.add}</Button>;
  const reload = (): void => setVersion(version + 1);
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <p>{texts.lead}</p>
      <p class="actions">{add}</p>
      <List<Key>
        name={texts.title}
        inputs={[application.id, version]}
        load={async ({ pageSize, pageToken, countTotal }) => {
          const answer = await client.listApplicationKeys({ ...ids, pageSize, pageToken, countTotal });
          return { ...answer, rows: answer.keys };
        }}
        columns={[
          { title: texts.id, text: ({ id }) => id, render: ({ id }) => <code>{id}</code> },
          { title: texts.created, text: ({ details }) => date(details?.creationDate), isMinor: true },
          { title: texts.expires, text: formatExpiry },
        ]}
        idOf={({ id }) => id}
        rowActions={
          mayWrite
            ? (key) => (
                <Button
                  look="quiet"
                  label={`${shared.remove}: ${texts.name(key.id)}`}
                  onClick={() => setRemoval(key)}
                >
                  {shared.remove}
                </Button>
              )
            : undefined
        }
        empty={{ title: texts.emptyTitle, text: texts.emptyText }}
      />
      {isAdding && Adding !== undefined && (
        <Adding ids={ids} onClose={() => setIsAdding(false)} onAdded={reload} />
      )}
      {removal !== undefined && (
        <RemovalDialog
          items={[{ id: removal.id, name: texts.name(removal.id), details: removal.details }]}
          remove={({ id }, options) => client.removeApplicationKey({ ...ids, keyId: id }, options)}
          onClose={() => setRemoval(undefined)}
          onRemoved={() => {
            setRemoval(undefined);
            reload();
          }}
        />
      )}
    </section>
  );
}

/** Returns a function that says when a key expires. */
function useExpiry(): (key: Key) => string {
  const texts = useTexts(keysTexts);
  const { date } = useFormats();
  return ({ expirationDate }) => {
    if (expirationDate === undefined) return texts.never;
    const shown = date(expirationDate);
    return timestampDate(expirationDate) < new Date() ? texts.expired(shown) : shown;
  };
}
