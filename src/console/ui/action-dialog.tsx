import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type CallProblem, isConflict, readProblem } from "../api/call-problem.ts";
import { useTexts } from "../texts/use-texts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorView } from "./error-view.tsx";
import { useNotify } from "./notices.tsx";
import { uiTexts } from "./texts.ts";

/** Props of a dialog that asks before something is done. */
export interface ActionDialogProps {
  readonly title: string;
  /** What will happen. */
  readonly text: string;
  readonly actionText: string;
  /** What the user is told when it was done. */
  readonly done: string;
  run(): Promise<unknown>;
  readonly onClose: () => void;
  /** Called when it was done; usually reads the object again. The dialog is closed before. */
  readonly onDone: () => unknown;
  /** Reads the object again when somebody else has changed it meanwhile. Default: `onDone`. */
  readonly onChanged?: () => unknown;
  /** Whether it destroys something. */
  readonly isDanger?: boolean;
}

/** Asks before something is done that is not a removal, and says why it failed. Removals have `RemovalDialog`. */
export function ActionDialog(props: ActionDialogProps): JSX.Element {
  const { title, text, actionText, done, run, onClose, onDone, onChanged = onDone, isDanger = false } = props;
  const texts = useTexts(uiTexts);
  const notify = useNotify();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<CallProblem>();
  const act = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      await run();
      notify(done);
      onClose();
      await onDone();
    } catch (error) {
      const refusal = readProblem(error);
      // The next try is about the object as it is then, which stands behind the dialog.
      if (isConflict(refusal)) await onChanged();
      setProblem(refusal);
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {problem !== undefined && <ErrorView problem={problem} />}
      <div class="actions">
        <Button look={isDanger ? "danger" : "first"} isBusy={isBusy} onClick={() => void act()}>
          {actionText}
        </Button>
        <Button onClick={onClose} hasFocus={isDanger}>
          {texts.cancel}
        </Button>
      </div>
    </Dialog>
  );
}
