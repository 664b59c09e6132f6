import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { LinesField, TextField } from "../../../ui/form/fields.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import { NameField, SignInFields } from "../shared/shared-fields.tsx";
import { jwtProviderTexts } from "./jwt-texts.ts";
import type { JwtProviderValues } from "./jwt-values.ts";

/** The fields of a JWT identity provider. A new one needs a header. */
export function JwtProviderFields({
  form,
  isNew = false,
}: {
  readonly form: Form<JwtProviderValues>;
  readonly isNew?: boolean;
}): JSX.Element {
  const texts = useTexts(jwtProviderTexts);
  return (
    <>
      <NameField form={form} hasFocus={isNew} />
      <TextField
        form={form}
        name="jwt.jwtEndpoint"
        type="url"
        label={texts.jwtEndpoint}
        hint={texts.jwtEndpointHint}
      />
      <TextField form={form} name="jwt.issuer" label={texts.issuer} hint={texts.issuerHint} />
      <TextField
        form={form}
        name="jwt.keysEndpoint"
        type="url"
        label={texts.keysEndpoint}
        hint={texts.keysEndpointHint}
      />
      <TextField
        form={form}
        name="jwt.headerName"
        label={texts.headerName}
        hint={texts.headerNameHint}
        isRequired={isNew}
      />
      <LinesField form={form} name="jwt.audiences" label={texts.audiences} hint={texts.audiencesHint} />
      <SignInFields form={form} />
    </>
  );
}
