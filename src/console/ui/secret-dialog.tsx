import type { JSX } from "preact";
import { useTexts } from "../texts/use-texts.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { uiTexts } from "./texts.ts";

/** Props of a dialog that shows a secret. */
export interface SecretDialogProps {
  readonly title: string;
  /** What is shown, each with its name. */
  readonly secrets: readonly { readonly label: string; readonly value: string }[];
  readonly onClose: () => void;
}

/** Shows secrets that the service tells only once. Only its button closes it. */
export function SecretDialog({ title, secrets, onClose }: SecretDialogProps): JSX.Element {
  const texts = useTexts(uiTexts);
  return (
    <Dialog title={title} onClose={onClose} isFirm>
      <p>{texts.secret.once}</p>
      {secrets.map(({ label, value }) => (
        <div class="secret" key={label}>
          <p class="label">{label}</p>
          <p class="secret-value">
            <code>{value}</code>
          </p>
          <CopyButton text={value} label={label} />
        </div>
      ))}
      <p class="actions">
        <Button look="first" onClick={onClose}>
          {texts.secret.done}
        </Button>
      </p>
    </Dialog>
  );
}
