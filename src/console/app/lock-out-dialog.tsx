import type { JSX } from "preact";
import { useCallback, useState } from "preact/hooks";
import type { AskToForce, LockedOutPeople } from "../api/force.ts";
import { useTexts } from "../texts/use-texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { appTexts } from "./texts.ts";

interface Question {
  readonly people: LockedOutPeople;
  readonly answer: (isYes: boolean) => void;
}

/** Returns a function that asks before people are locked out, and the dialog that asks, if it does at present. */
export function useLockOutDialog(): { readonly ask: AskToForce; readonly dialog: JSX.Element | undefined } {
  const [question, setQuestion] = useState<Question>();
  const ask = useCallback<AskToForce>(
    (people) =>
      new Promise<boolean>((resolve) => {
        const answer = (isYes: boolean): void => {
          setQuestion(undefined);
          resolve(isYes);
        };
        setQuestion({ people, answer });
      }),
    [],
  );
  return { ask, dialog: question && <LockOutDialog {...question} /> };
}

function LockOutDialog({ people, answer }: Question): JSX.Element {
  const texts = useTexts(appTexts).lockOut;
  return (
    <Dialog title={texts.title} onClose={() => answer(false)}>
      <p>{people.count === 1 ? texts.one : texts.several(people.count)}</p>
      <p>{texts.consequence}</p>
      <div class="actions">
        <Button look="danger" onClick={() => answer(true)}>
          {texts.goOn}
        </Button>
        <Button onClick={() => answer(false)} hasFocus>
          {texts.stop}
        </Button>
      </div>
    </Dialog>
  );
}
