import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { ChecksField, ChoiceField } from "../../../ui/form/choice-fields.tsx";
import { CheckField, LinesField, TextField } from "../../../ui/form/fields.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import { oidcTexts, toOptions } from "./oidc-texts.ts";
import {
  asksForCode,
  isFapi,
  offeredAlgorithms,
  offeredGrants,
  offeredMethods,
  type OidcValues,
} from "./oidc-values.ts";

/** A form with the values of an OIDC application. */
export interface OidcFieldsProps {
  readonly form: Form<OidcValues & { readonly name?: string }>;
}

/** Where people are sent back to. */
export function RedirectFields({ form }: OidcFieldsProps): JSX.Element {
  const texts = useTexts(oidcTexts);
  return (
    <>
      <LinesField
        form={form}
        name="redirectUris"
        label={texts.redirectUris}
        hint={texts.redirectUrisHint}
        isRequired={asksForCode(form.values)}
      />
      <LinesField
        form={form}
        name="postLogoutRedirectUris"
        label={texts.postLogoutRedirectUris}
        hint={texts.postLogoutRedirectUrisHint}
      />
      <CheckField form={form} name="devMode" label={texts.devMode} hint={texts.devModeHint} />
    </>
  );
}

/** How the application authenticates. */
export function MethodField({ form }: OidcFieldsProps): JSX.Element {
  const texts = useTexts(oidcTexts);
  return (
    <ChoiceField
      form={form}
      name="authMethodType"
      label={texts.authMethodType}
      options={toOptions(offeredMethods(form.values), texts.authMethods, texts.authMethodHints)}
    />
  );
}

/** What protects its requests and tokens. A profile includes what can be chosen alone. */
export function ProtectionFields({ form }: OidcFieldsProps): JSX.Element {
  const texts = useTexts(oidcTexts);
  return (
    <>
      <ChoiceField
        form={form}
        name="securityProfile"
        label={texts.securityProfile}
        options={toOptions(["1", "2"], texts.securityProfiles, texts.securityProfileHints)}
      />
      {!isFapi(form.values) && (
        <>
          <CheckField form={form} name="requirePkce" label={texts.requirePkce} hint={texts.requirePkceHint} />
          <CheckField form={form} name="requirePar" label={texts.requirePar} hint={texts.requireParHint} />
          <CheckField form={form} name="requireDpop" label={texts.requireDpop} hint={texts.requireDpopHint} />
        </>
      )}
    </>
  );
}

/** What the application may ask the token endpoint for. */
export function GrantFields({ form }: OidcFieldsProps): JSX.Element {
  const texts = useTexts(oidcTexts);
  return (
    <ChecksField
      form={form}
      name="grantTypes"
      label={texts.grantTypes}
      options={toOptions(offeredGrants(form.values), texts.grants, texts.grantHints)}
    />
  );
}

/** What tokens look like, and what is in them. */
export function TokenFields({ form }: OidcFieldsProps): JSX.Element {
  const texts = useTexts(oidcTexts);
  return (
    <>
      <ChoiceField
        form={form}
        name="accessTokenType"
        label={texts.accessTokenType}
        options={toOptions(["1", "2"], texts.tokenTypes, texts.tokenTypeHints)}
      />
      <CheckField
        form={form}
        name="accessTokenRoleAssertion"
        label={texts.accessTokenRoleAssertion}
        hint={texts.accessTokenRoleAssertionHint}
      />
      <CheckField form={form} name="idTokenRoleAssertion" label={texts.idTokenRoleAssertion} />
      <CheckField
        form={form}
        name="idTokenUserinfoAssertion"
        label={texts.idTokenUserinfoAssertion}
        hint={texts.idTokenUserinfoAssertionHint}
      />
      <ChoiceField
        form={form}
        name="groupsClaim"
        label={texts.groupsClaim}
        options={toOptions(["1", "2", "3"], texts.groupsClaims, texts.groupsClaimHints)}
      />
      <ChoiceField
        form={form}
        name="signingAlgorithm"
        label={texts.signingAlgorithm}
        hint={texts.algorithmHint}
        options={toOptions(offeredAlgorithms(form.values), texts.algorithms)}
      />
    </>
  );
}

/** The rest. `mayGrantApi`: only a user who may change applications of the whole instance decides about our API, and what names users. */
export function OtherFields({
  form,
  mayGrantApi,
}: OidcFieldsProps & { readonly mayGrantApi: boolean }): JSX.Element {
  const texts = useTexts(oidcTexts);
  return (
    <>
      <TextField
        form={form}
        name="backChannelLogoutUri"
        type="url"
        label={texts.backChannelLogoutUri}
        hint={texts.backChannelLogoutUriHint}
      />
      <LinesField
        form={form}
        name="additionalOrigins"
        label={texts.additionalOrigins}
        hint={texts.additionalOriginsHint}
      />
      {mayGrantApi && (
        <CheckField form={form} name="apiAccess" label={texts.apiAccess} hint={texts.apiAccessHint} />
      )}
      {mayGrantApi && (
        <ChoiceField
          form={form}
          name="subject"
          label={texts.subject}
          options={toOptions(["1", "2"], texts.subjects, texts.subjectHints)}
        />
      )}
    </>
  );
}
