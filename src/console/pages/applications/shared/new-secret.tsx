import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorView } from "../../../ui/error-view.tsx";
import { type CallProblem, readProblem } from "../../../api/call-problem.ts";
import { SecretDialog } from "../../../ui/secret-dialog.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { applicationTexts } from "./texts.ts";

/** Props of the dialog for the secret of a new application. */
export interface NewSecretProps {
  readonly clientId: string;
  /** The secret from the answer; empty if the answer was a repeated one. */
  readonly secret: string;
  /** Makes another secret and returns it. */
  renew(): Promise<string>;
  readonly onClose: () => void;
}

/** Shows the secret of an application that was just added or, if it is lost, says so and offers a new one. */
export function NewSecret({ clientId, secret, renew, onClose }: NewSecretProps): JSX.Element {
  const texts = useTexts(applicationTexts);
  const shared = useTexts(uiTexts);
  const [renewed, setRenewed] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<CallProblem>();
  const shown = renewed === "" ? secret : renewed;
  const make = async (): Promise<void> => {
    setIsBusy(true);
    try {
      setRenewed(await renew());
    } catch (error) {
      setProblem(readProblem(error));
      setIsBusy(false);
    }
  };
  if (shown !== "") {
    return (
      <SecretDialog
        key="secret"
        title={texts.secret.isNew}
        secrets={[
          { label: texts.clientId, value: clientId },
          { label: texts.secret.title, value: shown },
        ]}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog key="lost" title={texts.secret.lostTitle} onClose={onClose} isFirm>
      <p>{texts.secret.lostText}</p>
      {problem !== undefined && <ErrorView problem={problem} />}
      <div class="actions">
        <Button look="first" isBusy={isBusy} onClick={() => void make()}>
          {texts.secret.make}
        </Button>
        <Button onClick={onClose}>{shared.close}</Button>
      </div>
    </Dialog>
  );
}
