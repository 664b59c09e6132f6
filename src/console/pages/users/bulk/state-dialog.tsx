import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useBatch } from "../../../api/use-batch.ts";
import { dryRun } from "../../../api/call-options.ts";
import { type CallProblem, readProblem } from "../../../api/call-problem.ts";
import { useQuery } from "../../../api/use-query.ts";
import type { User } from "../../../../../gen/console/gatehouse/v1/user_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorView } from "../../../ui/error-view.tsx";
import { useNotify } from "../../../ui/notices.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { nameOfUser } from "../../../ui/user-name.ts";
import { choosePossible, findCause, type StateChange, toStateItems } from "./batch-items.ts";
import { bulkTexts } from "./bulk-texts.ts";

/** Props of the dialog that changes the state of several users. */
export interface StateDialogProps {
  readonly users: readonly User[];
  readonly change: StateChange;
  readonly onClose: () => void;
  /** Called when they are changed, or have changed meanwhile; usually reads the list again. */
  readonly onDone: () => void;
}

/**
 * Changes the state of several users in one transaction: all or none. It says first who is left out, because of their state, and by a
 * dry run whether the others can be changed.
 */
export function StateDialog({ users, change, onClose, onDone }: StateDialogProps): JSX.Element {
  const texts = useTexts(bulkTexts);
  const shared = useTexts(uiTexts);
  const { number } = useFormats();
  const notify = useNotify();
  const batch = useBatch();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<CallProblem>();
  const possible = choosePossible(users, change);
  const items = toStateItems(possible, change);
  const trial = useQuery(
    async () => (items.length === 0 ? [] : (await (await batch()).write({ items }, dryRun)).results),
    [change],
  );
  const count = texts.users(number(possible.length));
  const leftOut = users.length - possible.length;
  const refusal = problem ?? trial.problem;
  // Users that have changed meanwhile are read again.
  const leave = refusal === undefined ? onClose : onDone;
  const act = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      await (await batch()).write({ items });
      notify(texts[change].done(count));
      onDone();
    } catch (error) {
      setProblem(readProblem(error));
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={possible.length === 0 ? texts[change].nobody : texts[change].title(count)} onClose={leave}>
      {possible.length > 0 && <p>{texts[change].text}</p>}
      {leftOut > 0 && <p class="hint">{texts.leftOut(texts.users(number(leftOut)))}</p>}
      {refusal !== undefined && <Refusal problem={refusal} users={possible} />}
      {trial.isLoading && (
        <p class="hint" role="status">
          {shared.loading}
        </p>
      )}
      <div class="actions">
        {possible.length > 0 && trial.data !== undefined && (
          <Button look="first" isBusy={isBusy} onClick={() => void act()} hasFocus>
            {texts[change].action}
          </Button>
        )}
        <Button onClick={leave}>{possible.length === 0 ? shared.close : shared.cancel}</Button>
      </div>
    </Dialog>
  );
}

/** Names the user that made the batch fail, and the reason. */
function Refusal({
  problem,
  users,
}: {
  readonly problem: CallProblem;
  readonly users: readonly User[];
}): JSX.Element {
  const texts = useTexts(bulkTexts);
  const cause = findCause(users, problem.metadata);
  return (
    <>
      <p>{cause === undefined ? texts.refused : texts.refusedFor(nameOfUser(cause))}</p>
      <ErrorView problem={problem} />
    </>
  );
}
