import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useTexts } from "../../texts/use-texts.ts";
import { uiTexts } from "../texts.ts";
import type { Form, FormValues, ShownField } from "./use-form.ts";

/** The names of those fields whose values are of a kind. */
export type NamesOf<Values, Kind> = {
  [Name in keyof Values & string]: Values[Name] extends Kind
    ? Kind extends Values[Name]
      ? Name
      : never
    : never;
}[keyof Values & string];

/** Props that fields share. */
export interface FieldProps<Values extends FormValues, Name extends string> {
  readonly form: Form<Values>;
  /** The name of the field in the request. */
  readonly name: Name;
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Whether it has to be filled in. Default: what the bounds say; another rule of the form is in its `check`. */
  readonly isRequired?: boolean;
}

/** Attributes of every control, which tie it to its label, hint and error. */
export interface SharedAttributes {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-required": boolean;
  readonly "aria-describedby": string | undefined;
}

/** A labelled control, with its hint and its error. */
export function Field<Values extends FormValues>(
  props: Omit<FieldProps<Values, string>, "children"> & {
    readonly children: (shared: SharedAttributes) => JSX.Element;
    readonly show?: ShownField["show"];
  },
): JSX.Element {
  const { form, name, label, hint, children, show } = props;
  const texts = useTexts(uiTexts);
  useShown(form, name, show === undefined ? { label } : { label, show });
  const id = `${form.id}.${name}`;
  const error = form.errorOf(name);
  const bounds = form.bounds[name] ?? {};
  const isBound = (bounds.minLength ?? bounds.minItems ?? 0) > 0 || bounds.isRequired === true;
  const isRequired = props.isRequired ?? isBound;
  const described = [
    ...(hint === undefined ? [] : [`${id}.hint`]),
    ...(error === undefined ? [] : [`${id}.error`]),
  ];
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!isRequired && show === undefined && <span class="optional"> {texts.form.optional}</span>}
      </label>
      {hint !== undefined && (
        <p class="hint" id={`${id}.hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        "aria-invalid": error !== undefined,
        "aria-required": isRequired,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
      })}
      <FieldError form={form} name={name} />
    </div>
  );
}

/** What is wrong with a field; nothing, if nothing is. The control names it by its id, that of the control with `.error`. */
export function FieldError<Values extends FormValues>({
  form,
  name,
}: {
  readonly form: Form<Values>;
  readonly name: string;
}): JSX.Element | null {
  const error = form.errorOf(name);
  if (error === undefined) return null;
  return (
    <p class="field-error" id={`${form.id}.${name}.error`} lang={form.errorLanguage}>
      {error}
    </p>
  );
}

/** Tells the form that the field is shown. */
export function useShown<Values extends FormValues>(
  form: Form<Values>,
  name: string,
  field: ShownField,
): void {
  // In the order in which fields appear, which is also the order of the focus.
  form.fields.set(name, field);
  useEffect(() => () => void form.fields.delete(name), [form.fields, name]);
}

/** Sets a field to a text. */
export function setText<Values extends FormValues>(
  form: Form<Values>,
  name: keyof Values & string,
  value: string,
): void {
  setValue(form, name, value);
}

/** Sets a field. The props of each field allow only names of its own kind of value. */
export function setValue<Values extends FormValues>(
  form: Form<Values>,
  name: keyof Values & string,
  value: FormValues[string],
): void {
  form.set(name, value as Values[typeof name]); // see above
}
