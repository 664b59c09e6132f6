import type { ComponentChildren, JSX } from "preact";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../button.tsx";
import { ErrorView } from "../error-view.tsx";
import { uiTexts } from "../texts.ts";
import { ConflictDialog } from "./conflict-dialog.tsx";
import type { Form, FormValues } from "./use-form.ts";

/** Props of the view of a form. */
export interface FormViewProps<Values extends FormValues> {
  readonly form: Form<Values>;
  /** The fields. */
  readonly children: ComponentChildren;
  /** Default: "Save". */
  readonly submitText?: string;
  /** Goes back without saving; absent: there is no such button. */
  readonly onCancel?: (() => void) | undefined;
  /** Whether the form changes something that is there: its button then waits for a change, and changes can be discarded. */
  readonly isChange?: boolean;
  readonly isDanger?: boolean;
}

/** Shows a form: fields, what went wrong, and buttons. */
export function FormView<Values extends FormValues>(props: FormViewProps<Values>): JSX.Element {
  const { form, children, submitText, onCancel, isChange = false, isDanger = false } = props;
  const texts = useTexts(uiTexts);
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!form.isBusy) void form.submit();
      }}
    >
      {form.isRestored && <p class="hint">{texts.form.restored}</p>}
      {children}
      {form.problem !== undefined && <ErrorView problem={form.problem} />}
      <div class="actions">
        <Button
          type="submit"
          look={isDanger ? "danger" : "first"}
          isBusy={form.isBusy}
          isDisabled={isChange && !form.isDirty}
        >
          {submitText ?? texts.save}
        </Button>
        {isChange && form.isDirty && <Button onClick={form.reset}>{texts.form.discard}</Button>}
        {onCancel !== undefined && <Button onClick={onCancel}>{texts.cancel}</Button>}
      </div>
      {form.conflict !== undefined && <ConflictDialog form={form} stored={form.conflict} />}
    </form>
  );
}
