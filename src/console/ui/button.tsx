import type { ComponentChildren, JSX } from "preact";

/** Props of a button. */
export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: (() => void) | undefined;
  /** Default: `second`. A page has one `first` button at most; `danger` destroys something; `quiet` looks like a link. */
  readonly look?: "first" | "second" | "danger" | "quiet";
  /** Default: `button`. */
  readonly type?: "button" | "submit";
  /** While something is under way, which the button began. It can be reached then, but not be pressed again. */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** What is read aloud instead of the text, where the text alone says too little. */
  readonly label?: string | undefined;
  readonly hasFocus?: boolean;
}

/** A button. One that the user may not press is left out by its page, not disabled: see `useCan`. */
export function Button(props: ButtonProps): JSX.Element {
  const {
    children,
    onClick,
    look = "second",
    type = "button",
    isBusy = false,
    isDisabled = false,
    label,
  } = props;
  return (
    <button
      type={type}
      class={`button ${look}`}
      disabled={isDisabled}
      aria-disabled={isBusy}
      aria-label={label}
      autofocus={props.hasFocus}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
    </button>
  );
}
