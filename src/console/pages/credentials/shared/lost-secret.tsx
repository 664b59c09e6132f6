import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type CallProblem, readProblem } from "../../../api/call-problem.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorView } from "../../../ui/error-view.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { credentialTexts } from "./credential-texts.ts";

/** Props of the dialog about a secret that is lost. */
export interface LostSecretProps {
  /** The object that was made, and the steps that follow. */
  readonly text: string;
  /** Makes another one in its place, and shows it. */
  renew(): Promise<void>;
  readonly onClose: () => void;
}

/** Says that the answer with a secret was lost, which happens when a repeated call adds nothing, and offers another secret. */
export function LostSecret({ text, renew, onClose }: LostSecretProps): JSX.Element {
  const texts = useTexts(credentialTexts);
  const { close } = useTexts(uiTexts);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<CallProblem>();
  const make = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      await renew();
    } catch (error) {
      setProblem(readProblem(error));
    } finally {
      // The answer may be of another object with a lost secret, which the same dialog shows.
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={texts.lostTitle} onClose={onClose} isFirm>
      <p>{text}</p>
      {problem !== undefined && <ErrorView problem={problem} />}
      <div class="actions">
        <Button look="first" isBusy={isBusy} onClick={() => void make()}>
          {texts.makeAnother}
        </Button>
        <Button onClick={onClose}>{close}</Button>
      </div>
    </Dialog>
  );
}
