import type { CallOptions } from "@connectrpc/connect";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ifUnchanged } from "../api/call-options.ts";
import { ActionButton } from "./action-button.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import { Button } from "./button.tsx";
import { type Removable, RemovalDialog, type RemovalDialogProps } from "./removal-dialog.tsx";

/** Props of the buttons of an object that can be stopped, started again and removed. */
export interface StateActionsProps extends Pick<RemovalDialogProps<Removable>, "isGrave" | "onRemoved"> {
  readonly item: Removable;
  readonly isActive: boolean;
  /** Whether the user may start it again. Default: true. */
  readonly mayReactivate?: boolean;
  readonly texts: {
    readonly deactivate: string;
    readonly reactivate: string;
    readonly remove: string;
    readonly deactivateText: string;
    deactivateTitle(name: string): string;
    deactivated(name: string): string;
    reactivated(name: string): string;
  };
  deactivate(options: CallOptions): Promise<unknown>;
  reactivate(options: CallOptions): Promise<unknown>;
  /** With the options of a dry run it only says what would go with the object. */
  remove(options: CallOptions): ReturnType<RemovalDialogProps<Removable>["remove"]>;
  /** Reads the object again. */
  readonly onChange: () => unknown;
}

/** Stops an object, starts it again, and removes it. */
export function StateActions(props: StateActionsProps): JSX.Element {
  const { item, isActive, mayReactivate = true, texts, onChange } = props;
  const [open, setOpen] = useState<"deactivate" | "remove">();
  const close = (): void => setOpen(undefined);
  return (
    <>
      {isActive && <Button onClick={() => setOpen("deactivate")}>{texts.deactivate}</Button>}
      {!isActive && mayReactivate && (
        <ActionButton
          run={() => props.reactivate(ifUnchanged(item.details))}
          done={texts.reactivated(item.name)}
          onDone={onChange}
        >
          {texts.reactivate}
        </ActionButton>
      )}
      <Button look="danger" onClick={() => setOpen("remove")}>
        {texts.remove}
      </Button>
      {open === "deactivate" && (
        <ActionDialog
          title={texts.deactivateTitle(item.name)}
          text={texts.deactivateText}
          actionText={texts.deactivate}
          done={texts.deactivated(item.name)}
          run={() => props.deactivate(ifUnchanged(item.details))}
          onClose={close}
          onDone={onChange}
        />
      )}
      {open === "remove" && (
        <RemovalDialog
          items={[item]}
          remove={(_item, options) => props.remove(options)}
          isGrave={props.isGrave ?? false}
          onClose={close}
          onChanged={onChange}
          onRemoved={props.onRemoved}
        />
      )}
    </>
  );
}
