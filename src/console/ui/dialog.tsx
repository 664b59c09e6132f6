import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

/** Props of a dialog. */
export interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called by Escape and by a click beside the dialog. The page then leaves the dialog out. */
  readonly onClose: () => void;
  /** Whether only a button of the dialog may close it, such as when a secret is shown once. */
  readonly isFirm?: boolean;
  readonly isWide?: boolean;
}

/** A dialog above the page: the focus goes in, stays, and returns to where it was. It is open as long as it is there. */
export function Dialog({
  title,
  children,
  onClose,
  isFirm = false,
  isWide = false,
}: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    // The dialog is still open while it is taken away, and nothing beside it can have the focus then.
    return () => {
      setTimeout(() => {
        if (opener instanceof HTMLElement && document.activeElement === document.body) opener.focus();
      });
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={isWide ? "wide" : undefined}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!isFirm) onClose();
      }}
      onClick={(event) => {
        if (!isFirm && event.target === element.current) onClose();
      }}
    >
      <div class="dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
