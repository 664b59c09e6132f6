import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

/** Props of a dialog. */
export interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called by Escape and by a click beside the dialog that also began there. The page then leaves the dialog out. */
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
  const isPressedBeside = useRef(false);
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
      closedby={isFirm ? "none" : "closerequest"}
      onKeyDown={(event) => {
        if (!isFirm || event.key !== "Escape") return;
        // A dialog around this one stays, too.
        event.preventDefault();
        event.stopPropagation();
      }}
      onCancel={(event) => {
        // A file field that is left without a choice says so in the same way.
        if (event.target !== element.current) return;
        event.preventDefault();
        if (!isFirm) onClose();
      }}
      onClose={(event) => {
        // Browsers close a dialog without asking at a second Escape (HTML, close watchers), where they do not know `closedby`.
        if (event.target !== element.current) return;
        if (isFirm) element.current?.showModal();
        else onClose();
      }}
      onPointerDown={(event) => {
        isPressedBeside.current = event.target === element.current;
      }}
      onClick={(event) => {
        // A user who selects the text of a field may let go beside the dialog.
        if (!isFirm && isPressedBeside.current && event.target === element.current) onClose();
      }}
    >
      <div class="dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
