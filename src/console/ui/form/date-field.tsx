import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import { Field, type FieldProps, type NamesOf, setText } from "./field.tsx";
import type { FormValues } from "./use-form.ts";

/** A field for a day, which may be left empty. Its value is a text such as `2030-12-31`; `endOfDay` makes the instant of it. */
export function DateField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, string>>,
): JSX.Element {
  const { form, name } = props;
  return (
    <Field {...props}>
      {(shared) => (
        <input
          {...shared}
          type="date"
          value={String(form.values[name])}
          onInput={(event) => setText(form, name, event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Returns the last second of a day such as `2030-12-31`, in the time zone of the browser; undefined for an empty text. */
export function endOfDay(day: string): Timestamp | undefined {
  return day === "" ? undefined : timestampFromDate(new Date(`${day}T23:59:59`));
}
