import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import type { User } from "../../../../../gen/console/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { useBatchRemoval } from "../../../ui/batch-removal.ts";
import type { BulkAction } from "../../../ui/list/list.tsx";
import { type Removable, RemovalDialog } from "../../../ui/removal-dialog.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { nameOfUser } from "../../../ui/user-name.ts";
import { type StateChange, stateChanges } from "./batch-items.ts";
import { bulkTexts } from "./bulk-texts.ts";
import { StateDialog } from "./state-dialog.tsx";

/** What can be done with several users at once. */
export interface BulkActions {
  readonly actions: readonly BulkAction<User>[];
  /** The dialog of the action that was chosen; the page shows it beside the list. */
  readonly dialog: JSX.Element | undefined;
}

interface Selection {
  readonly action: StateChange | "remove";
  readonly users: readonly User[];
  done(): void;
}

/** Returns what can be done with several users at once, all or none: change their state, or remove them. */
export function useBulkActions(): BulkActions {
  const texts = useTexts(bulkTexts);
  const { remove } = useTexts(uiTexts);
  const [selection, setSelection] = useState<Selection>();
  const begin = (action: Selection["action"]): BulkAction<User>["run"] => {
    return (users, done) => setSelection({ action, users, done });
  };
  return {
    actions: [
      ...stateChanges.map((action) => ({ label: texts[action].action, run: begin(action) })),
      { label: remove, isDanger: true, run: begin("remove") },
    ],
    dialog: selection && <BulkDialog {...selection} onClose={() => setSelection(undefined)} />,
  };
}

function BulkDialog({
  action,
  users,
  done,
  onClose,
}: Selection & { readonly onClose: () => void }): JSX.Element {
  const texts = useTexts(bulkTexts);
  const { number } = useFormats();
  const client = useClient(UserService);
  const removeAll = useBatchRemoval<Removable>(({ id }) => ({ case: "removeUser", value: { userId: id } }));
  const finish = (): void => {
    onClose();
    done();
  };
  if (action !== "remove")
    return <StateDialog users={users} change={action} onClose={onClose} onDone={finish} />;
  return (
    <RemovalDialog
      items={users.map((user) => ({ ...user, name: nameOfUser(user) }))}
      several={texts.users(number(users.length))}
      remove={({ id }, options) => client.removeUser({ userId: id }, options)}
      removeAll={removeAll}
      onClose={onClose}
      onRemoved={finish}
    />
  );
}
