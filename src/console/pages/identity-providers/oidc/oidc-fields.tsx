import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { SelectField } from "../../../ui/form/choice-fields.tsx";
import { LinesField, TextField } from "../../../ui/form/fields.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import { NameField, SignInFields } from "../shared/shared-fields.tsx";
import { oidcProviderTexts } from "./oidc-texts.ts";
import type { OidcProviderValues } from "./oidc-values.ts";

/** The fields of an OIDC identity provider; `isNew`: it is not stored yet. */
export function OidcProviderFields({
  form,
  isNew = false,
  needsSecret = isNew,
}: {
  readonly form: Form<OidcProviderValues>;
  readonly isNew?: boolean;
  /** Whether the secret is asked for, too: a stored one is sent to the stored issuer only. Default: as `isNew`. */
  readonly needsSecret?: boolean;
}): JSX.Element {
  const texts = useTexts(oidcProviderTexts);
  const mappings = (["0", "1", "2"] as const).map((value) => ({ value, label: texts.mappings[value] }));
  return (
    <>
      <NameField form={form} hasFocus={isNew} />
      <TextField form={form} name="oidc.issuer" type="url" label={texts.issuer} hint={texts.issuerHint} />
      <TextField form={form} name="oidc.clientId" label={texts.clientId} hint={texts.clientIdHint} />
      {needsSecret && (
        <TextField
          form={form}
          name="oidc.clientSecret"
          type="password"
          autocomplete="new-password"
          label={texts.clientSecret}
          hint={isNew ? texts.clientSecretHint : texts.clientSecretAgainHint}
          isRequired
        />
      )}
      <LinesField form={form} name="oidc.scopes" label={texts.scopes} hint={texts.scopesHint} />
      <SelectField form={form} name="oidc.usernameMapping" label={texts.usernameMapping} options={mappings} />
      <SelectField
        form={form}
        name="oidc.displayNameMapping"
        label={texts.displayNameMapping}
        options={mappings}
      />
      <SignInFields form={form} />
    </>
  );
}
