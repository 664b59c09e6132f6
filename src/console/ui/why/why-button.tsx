import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useTexts } from "../../texts/use-texts.ts";
import { Button, type ButtonProps } from "../button.tsx";
import { useLater } from "../use-later.ts";
import { uiTexts } from "../texts.ts";
import type { WhyQuestion } from "./why-dialog.tsx";

/** Props of the button. */
export interface WhyButtonProps {
  readonly userId: string;
  readonly questions: readonly WhyQuestion[];
  /** The moment of the past that is asked about. Absent: the present. */
  readonly asOf?: Timestamp | undefined;
  /** In a row of a list. */
  readonly look?: ButtonProps["look"];
}

/** A button that says why a user may do something or not. */
export function WhyButton({ look = "second", ...asked }: WhyButtonProps): JSX.Element {
  const texts = useTexts(uiTexts);
  const [isOpen, setIsOpen] = useState(false);
  const Explained = useLater(async () => (await import("./why-dialog.tsx")).WhyDialog, isOpen);
  return (
    <>
      <Button look={look} onClick={() => setIsOpen(true)}>
        {texts.why}
      </Button>
      {isOpen && Explained !== undefined && <Explained {...asked} onClose={() => setIsOpen(false)} />}
    </>
  );
}
