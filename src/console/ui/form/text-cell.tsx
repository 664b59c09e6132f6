import type { JSX } from "preact";

/** Props of a cell. */
export interface TextCellProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text in a row of a field that holds several things. */
export function TextCell({ id, label, value, onChange }: TextCellProps): JSX.Element {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
