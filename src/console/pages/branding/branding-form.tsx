import type { JSX } from "preact";
import type { CallProblem } from "../../api/call-problem.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { ChoiceField } from "../../ui/form/choice-fields.tsx";
import { Field, setText } from "../../ui/form/field.tsx";
import { CheckField, TextField } from "../../ui/form/fields.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import {
  type BrandingValues,
  type BrandingFault,
  colorNames,
  findBrandingFaults,
  findNearestColor,
  urlNames,
} from "./branding-values.ts";
import { brandingTexts } from "./texts.ts";

/** Props of the fields of a branding. */
export interface BrandingFieldsProps {
  readonly form: Form<BrandingValues>;
  /** Why the service refused it last. */
  readonly refusal: CallProblem | undefined;
}

/** The fields of a branding, without its images. */
export function BrandingFields({ form, refusal }: BrandingFieldsProps): JSX.Element {
  const texts = useTexts(brandingTexts);
  return (
    <>
      <ColorFields form={form} refusal={refusal} theme="light" />
      <ColorFields form={form} refusal={refusal} theme="dark" />
      <ChoiceField
        form={form}
        name="theme"
        label={texts.theme}
        options={(["1", "2", "3"] as const).map((value) => ({ value, label: texts.themes[value] }))}
      />
      <TextField form={form} name="cornerRadius" label={texts.cornerRadius} isRequired />
      <CheckField form={form} name="hideProductName" label={texts.hideProductName} />
      {urlNames.map((name) => (
        <TextField key={name} form={form} name={name} label={texts[name]} hint={texts.urlHint} type="url" />
      ))}
      <TextField
        form={form}
        name="supportEmail"
        label={texts.supportEmail}
        hint={texts.supportEmailHint}
        type="email"
      />
    </>
  );
}

/** Returns a function that says what is wrong with the values, field by field. */
export function useBrandingCheck(): (values: BrandingValues) => Record<string, string> {
  const texts = useTexts(brandingTexts);
  return (values) =>
    Object.fromEntries(
      findBrandingFaults(values).map((name) => [
        name,
        name === "cornerRadius" ? texts.between : isUrl(name) ? texts.badUrl : texts.badColor,
      ]),
    );
}

function isUrl(name: BrandingFault): name is (typeof urlNames)[number] {
  return urlNames.some((each) => each === name);
}

function ColorFields({
  form,
  refusal,
  theme,
}: BrandingFieldsProps & { readonly theme: "light" | "dark" }): JSX.Element {
  const texts = useTexts(brandingTexts);
  return (
    <fieldset class="field">
      <legend>{texts[theme]}</legend>
      {colorNames.map((color) => {
        const name = `${theme}.${color}` as const;
        const value = form.values[name];
        const nearest = form.errorOf(name) === undefined ? undefined : findNearestColor(refusal, name);
        return (
          <Field key={name} form={form} name={name} label={texts[color]} isRequired>
            {(shared) => (
              <span class="color">
                <input
                  {...shared}
                  type="text"
                  value={value}
                  spellcheck={false}
                  autocomplete="off"
                  onInput={(event) => setText(form, name, event.currentTarget.value)}
                />
                <input
                  type="color"
                  aria-label={texts.choose.replace("{name}", texts[color])}
                  value={/^#[0-9a-f]{6}$/i.test(value) ? value : "#000000"}
                  onInput={(event) => setText(form, name, event.currentTarget.value)}
                />
                {nearest !== undefined && (
                  <Button onClick={() => setText(form, name, nearest)}>{texts.useColor(nearest)}</Button>
                )}
              </span>
            )}
          </Field>
        );
      })}
    </fieldset>
  );
}
