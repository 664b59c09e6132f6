import type { JSX } from "preact";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { uiTexts } from "../texts.ts";
import type { Form, FormValues } from "./use-form.ts";

/** Shows both versions of what two people have changed, field by field, and lets the user choose one. */
export function ConflictDialog<Values extends FormValues>({
  form,
  stored,
}: {
  readonly form: Form<Values>;
  readonly stored: Values;
}): JSX.Element {
  const texts = useTexts(uiTexts);
  const show = (name: string, value: FormValues[string] | undefined): string => {
    if (typeof value === "boolean") return value ? texts.yes : texts.no;
    const all = Array.isArray(value) ? value : [String(value ?? "")];
    const field = form.fields.get(name);
    return all.map((each: string) => field?.show?.(each) ?? each).join(", ");
  };
  const differing = Object.keys(stored).filter(
    (name) => show(name, stored[name]) !== show(name, form.values[name]),
  );
  return (
    <Dialog title={texts.conflict.title} onClose={form.takeStored} isFirm isWide>
      <p>{texts.conflict.lead}</p>
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.conflict.field}</th>
              <th scope="col">{texts.conflict.yours}</th>
              <th scope="col">{texts.conflict.theirs}</th>
            </tr>
          </thead>
          <tbody>
            {differing.map((name) => (
              <tr key={name}>
                <th scope="row">{form.fields.get(name)?.label ?? name}</th>
                <td>{show(name, form.values[name])}</td>
                <td>{show(name, stored[name])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="actions">
        <Button look="first" onClick={() => void form.keepMine()}>
          {texts.conflict.keepYours}
        </Button>
        <Button onClick={form.takeStored}>{texts.conflict.takeTheirs}</Button>
      </div>
    </Dialog>
  );
}
