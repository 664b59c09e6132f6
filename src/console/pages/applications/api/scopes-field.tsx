import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { FieldError, useShown } from "../../../ui/form/field.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import { TextCell } from "../../../ui/form/text-cell.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { apiTexts } from "./api-texts.ts";
import { type ApiValues, readScope, type ScopeValue, writeScope } from "./api-values.ts";

/** A field for the scopes of an API: a row for each. */
export function ScopesField({ form }: { readonly form: Form<ApiValues> }): JSX.Element {
  const texts = useTexts(apiTexts).scope;
  useShown(form, "scopes", { label: texts.label, show: (text) => readScope(text).name });
  const id = `${form.id}.scopes`;
  const rows = form.values.scopes.map(readScope);
  const set = (next: readonly ScopeValue[]): void => form.set("scopes", next.map(writeScope));
  const added: ScopeValue = { name: "", description: "", isDefault: false, roleKeys: "" };
  return (
    <fieldset
      class="field"
      aria-describedby={form.errorOf("scopes") === undefined ? undefined : `${id}.error`}
    >
      <legend>{texts.label}</legend>
      <p class="hint">{texts.hint}</p>
      {rows.map((row, index) => (
        <ScopeRow
          key={index}
          id={`${id}.${index}`}
          row={row}
          onChange={(changed) => set(rows.with(index, changed))}
          onRemove={() => set(rows.toSpliced(index, 1))}
        />
      ))}
      <div class="actions" id={id} tabIndex={-1}>
        <Button onClick={() => set([...rows, added])}>{texts.add}</Button>
      </div>
      <FieldError form={form} name="scopes" />
    </fieldset>
  );
}

interface RowProps {
  readonly id: string;
  readonly row: ScopeValue;
  readonly onChange: (row: ScopeValue) => void;
  readonly onRemove: () => void;
}

function ScopeRow({ id, row, onChange, onRemove }: RowProps): JSX.Element {
  const texts = useTexts(apiTexts).scope;
  const shared = useTexts(uiTexts);
  const cell = (name: "name" | "description" | "roleKeys", label: string): JSX.Element => (
    <TextCell
      id={`${id}.${name}`}
      label={label}
      value={row[name]}
      onChange={(value) => onChange({ ...row, [name]: value })}
    />
  );
  return (
    <div class="field-row">
      {cell("name", texts.name)}
      {cell("description", `${texts.description} (${shared.form.optional})`)}
      {cell("roleKeys", `${texts.roleKeys} (${shared.form.optional})`)}
      <label class="choice">
        <input
          type="checkbox"
          checked={row.isDefault}
          onChange={(event) => onChange({ ...row, isDefault: event.currentTarget.checked })}
        />
        <span>{texts.isDefault}</span>
      </label>
      <Button look="quiet" label={texts.remove(row.name)} onClick={onRemove}>
        {shared.remove}
      </Button>
    </div>
  );
}
