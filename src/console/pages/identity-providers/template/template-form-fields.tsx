import type { JSX } from "preact";
import type { IdentityProvider } from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { LinesField, LongTextField, TextField } from "../../../ui/form/fields.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import { NameField, SignInFields } from "../shared/shared-fields.tsx";
import { templateTexts } from "./template-texts.ts";
import { needsSecret, type TemplateKind, templateFields, type TemplateValues } from "./template-values.ts";

/** The fields of a provider that is known beforehand. `stored`: as it is; absent: it is not stored yet. */
export function TemplateFormFields({
  form,
  kind,
  stored,
}: {
  readonly form: Form<TemplateValues>;
  readonly kind: TemplateKind;
  readonly stored?: IdentityProvider;
}): JSX.Element {
  const texts = useTexts(templateTexts);
  const isNeeded = needsSecret(kind, form.values, stored);
  const secretHint = (hint: string) =>
    stored === undefined ? hint : isNeeded ? texts.again : `${hint} ${texts.kept}`;
  return (
    <>
      <NameField form={form} hasFocus={stored === undefined} />
      {templateFields[kind].map((field) => {
        const shown = { form, label: texts.fields[field], hint: texts.hints[field] };
        const hint = secretHint(shown.hint);
        switch (field) {
          case "tenants":
            return <LinesField {...shown} key={field} name="entra.tenants" />;
          case "clientSecret":
            return (
              <TextField
                {...shown}
                key={field}
                // Only Apple has none.
                name={`${kind as Exclude<TemplateKind, "apple">}.clientSecret`}
                type="password"
                autocomplete="new-password"
                hint={hint}
                isRequired={isNeeded}
              />
            );
          case "privateKey":
            return (
              <LongTextField
                {...shown}
                key={field}
                name="apple.privateKey"
                hint={hint}
                isRequired={isNeeded}
              />
            );
          case "baseUrl":
            return (
              <TextField
                {...shown}
                key={field}
                name={`${kind as "entra" | "github" | "gitlab"}.baseUrl`} // the others have none
                type="url"
              />
            );
          case "teamId":
          case "privateKeyId":
            return <TextField {...shown} key={field} name={`apple.${field}`} />;
          case "clientId":
            return <TextField {...shown} key={field} name={`${kind}.clientId`} />;
        }
      })}
      <SignInFields form={form} />
    </>
  );
}
