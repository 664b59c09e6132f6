import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { FieldError, useShown } from "../../../ui/form/field.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import { TextCell } from "../../../ui/form/text-cell.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import {
  attributeSources,
  type AttributeValue,
  readAttribute,
  showAttribute,
  writeAttribute,
} from "./attributes.ts";
import { samlTexts } from "./saml-texts.ts";
import type { SettingsValues } from "./settings-values.ts";

/** Props of the field for the attributes of assertions. */
export interface AttributesFieldProps {
  readonly form: Form<SettingsValues>;
  readonly label: string;
  readonly hint: string;
}

/** A field for the attributes of assertions: a row for each. */
export function AttributesField({ form, label, hint }: AttributesFieldProps): JSX.Element {
  const texts = useTexts(samlTexts).attribute;
  useShown(form, "attributes", { label, show: showAttribute });
  const id = `${form.id}.attributes`;
  const error = form.errorOf("attributes");
  const rows = form.values.attributes.map(readAttribute);
  const set = (next: readonly AttributeValue[]): void => form.set("attributes", next.map(writeAttribute));
  return (
    <fieldset class="field" aria-describedby={error === undefined ? undefined : `${id}.error`}>
      <legend>{label}</legend>
      <p class="hint">{hint}</p>
      {rows.map((row, index) => (
        <AttributeRow
          key={index}
          id={`${id}.${index}`}
          row={row}
          onChange={(changed) => set(rows.with(index, changed))}
          onRemove={() => set(rows.toSpliced(index, 1))}
        />
      ))}
      <div class="actions" id={id} tabIndex={-1}>
        <Button onClick={() => set([...rows, { name: "", nameFormat: "", source: "Email", constant: "" }])}>
          {texts.add}
        </Button>
      </div>
      <FieldError form={form} name="attributes" />
    </fieldset>
  );
}

interface RowProps {
  readonly id: string;
  readonly row: AttributeValue;
  readonly onChange: (row: AttributeValue) => void;
  readonly onRemove: () => void;
}

function AttributeRow({ id, row, onChange, onRemove }: RowProps): JSX.Element {
  const texts = useTexts(samlTexts).attribute;
  const shared = useTexts(uiTexts);
  const isConstant = row.source === "";
  return (
    <div class="field-row">
      <TextCell
        id={`${id}.name`}
        label={texts.name}
        value={row.name}
        onChange={(name) => onChange({ ...row, name })}
      />
      <div class="field">
        <label for={`${id}.source`}>{texts.value}</label>
        <select
          id={`${id}.source`}
          value={row.source}
          onChange={(event) => onChange({ ...row, source: event.currentTarget.value, constant: "" })}
        >
          {attributeSources.map((source) => (
            <option key={source} value={source}>
              {texts.sources[source]}
            </option>
          ))}
          <option value="">{texts.constant}</option>
        </select>
      </div>
      {isConstant && (
        <TextCell
          id={`${id}.constant`}
          label={texts.constant}
          value={row.constant}
          onChange={(constant) => onChange({ ...row, constant })}
        />
      )}
      <TextCell
        id={`${id}.format`}
        label={`${texts.format} (${shared.form.optional})`}
        value={row.nameFormat}
        onChange={(nameFormat) => onChange({ ...row, nameFormat })}
      />
      <Button look="quiet" label={texts.remove(row.name)} onClick={onRemove}>
        {shared.remove}
      </Button>
    </div>
  );
}
