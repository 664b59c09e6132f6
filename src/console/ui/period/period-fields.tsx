import type { JSX } from "preact";
import { useTexts } from "../../texts/use-texts.ts";
import { Field, setText } from "../form/field.tsx";
import type { Form, FormValues } from "../form/use-form.ts";
import { isReversed, type PeriodTexts, toUtcText } from "./period.ts";
import { periodTexts } from "./texts.ts";

/** Two fields for when a right begins and ends, in local time, with the same in UTC. */
export function PeriodFields<Values extends PeriodTexts & FormValues>({
  form,
}: {
  readonly form: Form<Values>;
}): JSX.Element {
  const texts = useTexts(periodTexts);
  const fields = [
    { name: "startDate", label: texts.start, hint: texts.startHint },
    { name: "endDate", label: texts.end, hint: texts.endHint },
  ] as const;
  return (
    <>
      {fields.map(({ name, label, hint }) => (
        <Field key={name} form={form} name={name} label={label} hint={hint}>
          {(shared) => (
            <>
              <input
                {...shared}
                type="datetime-local"
                step={1}
                value={form.values[name]}
                onInput={(event) => setText(form, name, event.currentTarget.value)}
              />
              <p class="hint">{form.values[name] !== "" && toUtcText(new Date(form.values[name]))}</p>
            </>
          )}
        </Field>
      ))}
    </>
  );
}

/** Returns the check of a form with these fields: what is wrong with the end. */
export function usePeriodCheck(): (values: PeriodTexts) => Readonly<Record<string, string>> {
  const texts = useTexts(periodTexts);
  return (values): Record<string, string> => (isReversed(values) ? { endDate: texts.reversed } : {});
}
