import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useTexts } from "../texts/use-texts.ts";
import { Button } from "./button.tsx";
import { uiTexts } from "./texts.ts";

const shownMs = 3000;

/** Props of a button that copies. */
export interface CopyButtonProps {
  readonly text: string;
  /** The text that names what is copied, for people that cannot see it. */
  readonly label?: string;
  /** Default: "Copy". */
  readonly children?: string;
}

/** Copies a text, and says that it did. */
export function CopyButton({ text, label, children }: CopyButtonProps): JSX.Element {
  const texts = useTexts(uiTexts);
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
  };
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <>
      <Button
        look="quiet"
        label={label === undefined ? undefined : texts.copyOf(label)}
        onClick={() => void copy()}
      >
        {isCopied ? texts.copied : (children ?? texts.copy)}
      </Button>
      <span class="hidden" role="status">
        {isCopied ? texts.copied : ""}
      </span>
    </>
  );
}

/** An id or another value for machines, with a button that copies it. */
export function Code({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <span class="code">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}
