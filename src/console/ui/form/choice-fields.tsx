import type { JSX } from "preact";
import { Field, FieldError, type FieldProps, type NamesOf, setText, setValue, useShown } from "./field.tsx";
import type { FormValues } from "./use-form.ts";

/** An option that a field offers. */
export interface Option {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** A field for one of few values, all of them in sight. Values of enums are given as texts of their numbers. */
export function ChoiceField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, string>> & { readonly options: readonly Option[] },
): JSX.Element {
  const { form, name, label, hint, options } = props;
  useShown(form, name, { label, show: (value) => labelOf(options, value) });
  const id = `${form.id}.${name}`;
  const error = form.errorOf(name);
  return (
    <fieldset class="field" aria-describedby={error === undefined ? undefined : `${id}.error`}>
      <legend>{label}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {options.map((option, index) => (
        <label class="choice" key={option.value}>
          <input
            id={index === 0 ? id : undefined}
            type="radio"
            name={id}
            checked={form.values[name] === option.value}
            onChange={() => setText(form, name, option.value)}
          />
          <span>
            {option.label}
            {option.hint !== undefined && <span class="hint">{option.hint}</span>}
          </span>
        </label>
      ))}
      <FieldError form={form} name={name} />
    </fieldset>
  );
}

/** A field for one of many values. */
export function SelectField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, string>> & { readonly options: readonly Option[] },
): JSX.Element {
  const { form, name, options } = props;
  return (
    <Field {...props} show={(value) => labelOf(options, value)}>
      {(shared) => (
        <select
          {...shared}
          value={String(form.values[name])}
          onChange={(event) => setText(form, name, event.currentTarget.value)}
        >
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A field for several of the values that it offers. */
export function ChecksField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, readonly string[]>> & { readonly options: readonly Option[] },
): JSX.Element {
  const { form, name, label, hint, options } = props;
  useShown(form, name, { label, show: (value) => labelOf(options, value) });
  const id = `${form.id}.${name}`;
  const error = form.errorOf(name);
  const value = form.values[name];
  const chosen: readonly string[] = Array.isArray(value) ? value : [];
  return (
    <fieldset class="field" aria-describedby={error === undefined ? undefined : `${id}.error`}>
      <legend>{label}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {options.map((option, index) => (
        <label class="choice" key={option.value}>
          <input
            id={index === 0 ? id : undefined}
            type="checkbox"
            checked={chosen.includes(option.value)}
            onChange={(event) => {
              const others = chosen.filter((each) => each !== option.value);
              setValue(form, name, event.currentTarget.checked ? [...others, option.value] : others);
            }}
          />
          <span>
            {option.label}
            {option.hint !== undefined && <span class="hint">{option.hint}</span>}
          </span>
        </label>
      ))}
      <FieldError form={form} name={name} />
    </fieldset>
  );
}

function labelOf(options: readonly Option[], value: string): string {
  return options.find((option) => option.value === value)?.label ?? value;
}
