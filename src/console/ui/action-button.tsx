import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type CallProblem, isConflict, readProblem } from "../api/call-problem.ts";
import { useTexts } from "../texts/use-texts.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorView } from "./error-view.tsx";
import { useNotify } from "./notices.tsx";
import { uiTexts } from "./texts.ts";

/** Props of a button that makes a call at once. */
export interface ActionButtonProps extends Omit<ButtonProps, "onClick" | "type" | "isBusy"> {
  run(): Promise<unknown>;
  /** The message for the user after it was done. */
  readonly done: string;
  /** Reads the object again: called when it was done, and when somebody else has changed the object meanwhile. */
  readonly onDone?: () => unknown;
}

/**
 * A button that makes a call without asking first, because the opposite can be done as easily. A dialog says why it failed. If somebody
 * else has changed the object, the page shows it as it is now, perhaps without this button, and a notice says so.
 */
export function ActionButton({ run, done, onDone, ...button }: ActionButtonProps): JSX.Element {
  const texts = useTexts(uiTexts);
  const notify = useNotify();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<CallProblem>();
  const act = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await run();
      notify(done);
      await onDone?.();
    } catch (error) {
      const refusal = readProblem(error);
      if (isConflict(refusal)) {
        notify(texts.problem.changed);
        await onDone?.();
      } else setProblem(refusal);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <Button {...button} isBusy={isBusy} onClick={() => void act()} />
      {problem !== undefined && (
        <Dialog title={texts.problem.title} onClose={() => setProblem(undefined)}>
          <ErrorView problem={problem} />
          <div class="actions">
            <Button onClick={() => setProblem(undefined)}>{texts.close}</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
