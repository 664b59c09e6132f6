import type { JSX } from "preact";
import { useTexts } from "../../texts/use-texts.ts";
import { Field, type FieldProps, type NamesOf, setText } from "../../ui/form/field.tsx";
import type { Form, FormValues } from "../../ui/form/use-form.ts";
import { type DurationUnit, durationUnits, readDuration, writeDuration } from "./duration.ts";
import { policyTexts } from "./shared/texts.ts";

/** A field for a whole number, which it holds as a text. */
export function NumberField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, string>>,
): JSX.Element {
  const { form, name } = props;
  return (
    <Field {...props} isRequired>
      {(shared) => (
        <input
          {...shared}
          inputmode="numeric"
          autocomplete="off"
          value={String(form.values[name])}
          onInput={(event) => setText(form, name, event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A field for a duration: a number and its unit. Its value is a text such as `12 hours`. */
export function DurationField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, string>>,
): JSX.Element {
  const { form, name, label } = props;
  const show = useDurationText();
  return (
    <Field {...props} isRequired show={show}>
      {(shared) => (
        <div class="duration">
          <input
            {...shared}
            inputmode="numeric"
            autocomplete="off"
            value={readDuration(String(form.values[name])).amount}
            onInput={(event) => change(form, name, { amount: event.currentTarget.value })}
          />
          <UnitSelect
            label={label}
            unit={readDuration(String(form.values[name])).unit}
            onChange={(unit) => change(form, name, { unit })}
          />
        </div>
      )}
    </Field>
  );
}

/** Returns a function that writes the value of a field in the language of the console. */
export function useDurationText(): (text: string) => string {
  const texts = useTexts(policyTexts);
  return (text) => {
    const { amount, unit } = readDuration(text);
    return amount === "1" ? texts.one[unit] : `${amount} ${texts.units[unit]}`;
  };
}

function UnitSelect({
  label,
  unit,
  onChange,
}: {
  readonly label: string;
  readonly unit: DurationUnit;
  readonly onChange: (unit: DurationUnit) => void;
}): JSX.Element {
  const texts = useTexts(policyTexts);
  return (
    <select
      aria-label={`${label}: ${texts.unit}`}
      value={unit}
      onChange={(event) => {
        const chosen = durationUnits.find((each) => each === event.currentTarget.value);
        if (chosen !== undefined) onChange(chosen);
      }}
    >
      {durationUnits.map((each) => (
        <option key={each} value={each}>
          {texts.units[each]}
        </option>
      ))}
    </select>
  );
}

function change<Values extends FormValues>(
  form: Form<Values>,
  name: keyof Values & string,
  part: Partial<ReturnType<typeof readDuration>>,
): void {
  setText(form, name, writeDuration({ ...readDuration(String(form.values[name])), ...part }));
}
