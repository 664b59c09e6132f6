import type { CallOptions } from "@connectrpc/connect";
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { ObjectDetails, Removed } from "../../../../../gen/console/gatehouse/v1/object_pb.ts";
import { isolate } from "../../../texts/isolate.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { List, type ListProps } from "../../../ui/list/list.tsx";
import { RemovalDialog } from "../../../ui/removal-dialog.tsx";
import { uiTexts } from "../../../ui/texts.ts";

/** Props of a list of credentials. */
export interface CredentialListProps<Row> extends Omit<ListProps<Row>, "rowActions" | "bulk" | "linkOf"> {
  /** What the credentials are for. */
  readonly lead: string;
  /** Buttons above the list. */
  readonly actions?: ComponentChildren;
  /** How one is called when it is removed. */
  nameOf(row: Row): string;
  detailsOf(row: Row): ObjectDetails | undefined;
  /** Removes one; absent: the user of the console may not. */
  readonly remove?:
    | ((row: Row, options: CallOptions) => Promise<{ readonly removed: readonly Removed[] }>)
    | undefined;
}

/** A panel with the credentials of a kind that a user has, each of which can be removed. */
export function CredentialList<Row>(props: CredentialListProps<Row>): JSX.Element {
  const { name, lead, actions, remove, nameOf, detailsOf, idOf, ...list } = props;
  const { remove: removeText } = useTexts(uiTexts);
  const [removal, setRemoval] = useState<{ readonly row: Row; reload(): void }>();
  return (
    <section class="panel">
      <h2>{name}</h2>
      <p class="hint">{lead}</p>
      {actions !== undefined && actions !== false && <div class="actions">{actions}</div>}
      <List<Row>
        {...list}
        name={name}
        idOf={idOf}
        rowActions={
          remove === undefined
            ? undefined
            : (row, reload) => (
                <Button
                  look="quiet"
                  label={`${removeText}: ${isolate(nameOf(row))}`}
                  onClick={() => setRemoval({ row, reload })}
                >
                  {removeText}
                </Button>
              )
        }
      />
      {remove !== undefined && removal !== undefined && (
        <RemovalDialog
          items={[{ id: idOf(removal.row), name: nameOf(removal.row), details: detailsOf(removal.row) }]}
          remove={(_item, options) => remove(removal.row, options)}
          onClose={() => {
            setRemoval(undefined);
            removal.reload(); // it may have changed, which is why it could not be removed
          }}
          onRemoved={() => {
            setRemoval(undefined);
            removal.reload();
          }}
        />
      )}
    </section>
  );
}
