import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useTexts } from "../../texts/use-texts.ts";
import { uiTexts } from "../texts.ts";
import { Field, type FieldProps, type NamesOf, setText, setValue, useShown } from "./field.tsx";
import type { FormValues } from "./use-form.ts";

/** A field for a line of text. Its bounds are those of the request. */
export function TextField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, string>> & {
    readonly type?: "text" | "email" | "tel" | "url" | "password";
    readonly autocomplete?: string;
    readonly hasFocus?: boolean;
  },
): JSX.Element {
  const { form, name, type = "text", autocomplete = "off", hasFocus = false } = props;
  const kind: object = { type }; // the types of Preact know each type of input only by itself
  return (
    <Field {...props}>
      {(shared) => (
        <input
          {...shared}
          {...kind}
          value={String(form.values[name])}
          autocomplete={autocomplete}
          autofocus={hasFocus}
          spellcheck={false}
          onInput={(event) => setText(form, name, event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A field for several lines of text. */
export function LongTextField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, string>> & { readonly rows?: number },
): JSX.Element {
  const { form, name, rows = 4 } = props;
  return (
    <Field {...props}>
      {(shared) => (
        <textarea
          {...shared}
          rows={rows}
          dir="auto"
          spellcheck={false}
          value={String(form.values[name])}
          onInput={(event) => setText(form, name, event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A field for a list of texts, one per line. */
export function LinesField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, readonly string[]>> & { readonly rows?: number },
): JSX.Element {
  const { form, name, hint, rows = 3 } = props;
  const texts = useTexts(uiTexts);
  const value = form.values[name];
  const lines: readonly string[] = Array.isArray(value) ? value : [];
  // What is typed stays as it is, as long as it stands for the value: with its spaces and empty lines.
  const [typed, setTyped] = useState("");
  return (
    <Field {...props} hint={hint ?? texts.form.onePerLine}>
      {(shared) => (
        <textarea
          {...shared}
          rows={rows}
          spellcheck={false}
          value={toLines(typed).join("\n") === lines.join("\n") ? typed : lines.join("\n")}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setValue(form, name, toLines(event.currentTarget.value));
          }}
        />
      )}
    </Field>
  );
}

function toLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** A field for yes or no. */
export function CheckField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, boolean>>,
): JSX.Element {
  const { form, name, label, hint } = props;
  useShown(form, name, { label });
  const id = `${form.id}.${name}`;
  return (
    <div class="field">
      <label class="choice">
        <input
          id={id}
          type="checkbox"
          checked={form.values[name] === true}
          aria-describedby={hint === undefined ? undefined : `${id}.hint`}
          onChange={(event) => setValue(form, name, event.currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {hint !== undefined && (
        <p class="hint indented" id={`${id}.hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
