import type { JSX } from "preact";
import { useApi } from "../../api/api.ts";
import { toEnum } from "../../api/enums.ts";
import { OidcTokenType } from "../../../../gen/console/gatehouse/v1/oidc_pb.ts";
import { SigningAlgorithm } from "../../../../gen/console/gatehouse/v1/signing_key_pb.ts";
import type { User } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { SelectField } from "../../ui/form/choice-fields.tsx";
import { CheckField, TextField } from "../../ui/form/fields.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import { userTexts } from "./texts.ts";

/** A service user, as its forms have it. A type, because a form takes no interface. */
export type ServiceProfile = {
  readonly username: string;
  readonly name: string;
  readonly description: string;
  readonly accessTokenType: string;
  readonly signingAlgorithm: string;
  readonly trustMail: boolean;
};

/** Returns the profile of a service user; undefined: that of a new one. */
export function toServiceProfile(user?: User): ServiceProfile {
  const service = user?.type.case === "service" ? user.type.value : undefined;
  return {
    username: user?.username ?? "",
    name: service?.name ?? "",
    description: service?.description ?? "",
    accessTokenType: String(service?.accessTokenType ?? OidcTokenType.BEARER),
    signingAlgorithm: String(service?.signingAlgorithm ?? SigningAlgorithm.RS256),
    trustMail: service?.trustMail ?? false,
  };
}

/** Makes the fields of a request from the profile. */
export function fromServiceProfile(profile: ServiceProfile): Pick<
  ServiceProfile,
  "username" | "name" | "description" | "trustMail"
> & {
  readonly accessTokenType: OidcTokenType;
  readonly signingAlgorithm: SigningAlgorithm;
} {
  return {
    ...profile,
    accessTokenType: toEnum(OidcTokenType, profile.accessTokenType),
    signingAlgorithm: toEnum(SigningAlgorithm, profile.signingAlgorithm),
  };
}

/** The fields of a service user's profile. */
export function ServiceFields({
  form,
  hasFocus = false,
}: {
  readonly form: Form<ServiceProfile>;
  readonly hasFocus?: boolean;
}): JSX.Element {
  const texts = useTexts(userTexts);
  const mayTrust = useApi().permissions.can("user.credential.write", {}) || form.values.trustMail;
  return (
    <>
      <TextField
        form={form}
        name="username"
        label={texts.username}
        hint={texts.usernameHint}
        hasFocus={hasFocus}
      />
      <TextField form={form} name="name" label={texts.name} />
      <TextField form={form} name="description" label={texts.description} hint={texts.descriptionHint} />
      <SelectField
        form={form}
        name="accessTokenType"
        label={texts.tokenType}
        options={[
          { value: String(OidcTokenType.BEARER), label: texts.tokenBearer },
          { value: String(OidcTokenType.JWT), label: texts.tokenJwt },
        ]}
      />
      <SelectField
        form={form}
        name="signingAlgorithm"
        label={texts.algorithm}
        options={[
          { value: String(SigningAlgorithm.RS256), label: "RS256" },
          { value: String(SigningAlgorithm.ES256), label: "ES256" },
          { value: String(SigningAlgorithm.EDDSA), label: "EdDSA" },
        ]}
      />
      {mayTrust && (
        <CheckField form={form} name="trustMail" label={texts.trustMail} hint={texts.trustMailHint} />
      )}
    </>
  );
}
