import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useQuery } from "../../api/use-query.ts";
import { defineTexts } from "../../texts/language.ts";
import { useTexts } from "../../texts/use-texts.ts";
import type { NamedObject } from "../names/named-object.ts";
import type { FieldProps, NamesOf } from "./field.tsx";
import { TextField } from "./fields.tsx";
import type { FormValues } from "./use-form.ts";

const fieldTexts = defineTexts(
  { found: (name: string) => `Found: ${name}`, missing: "Nothing was found yet." },
  { found: (name) => `Gefunden: ${name}`, missing: "Noch nichts gefunden." },
);

const pauseMs = 250;

/**
 * A field that names an object by what people know it by. It says below which object that is; the page finds it once more when it
 * sends the form, and puts its id into the request.
 */
export function ReferenceField<Values extends FormValues>(
  props: FieldProps<Values, NamesOf<Values, string>> & {
    find(text: string): Promise<NamedObject | undefined>;
    readonly hasFocus?: boolean;
  },
): JSX.Element {
  const { form, name, hint, find, ...field } = props;
  const texts = useTexts(fieldTexts);
  const text = String(form.values[name]).trim();
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const query = useQuery(
    async () => (settled === "" ? undefined : { found: await find(settled) }),
    [settled],
  );
  const isKnown = settled === text && query.data !== undefined && text !== "";
  const found = query.data?.found;
  return (
    <TextField
      {...field}
      form={form}
      name={name}
      hint={
        <>
          {hint}
          <span class="found" role="status">
            {isKnown && (found === undefined ? texts.missing : texts.found(found.title))}
          </span>
        </>
      }
    />
  );
}
