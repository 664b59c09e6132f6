import type { JSX } from "preact";
import type { LdapConfig } from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { CheckField, LinesField, LongTextField, TextField } from "../../../ui/form/fields.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import { NameField, SignInFields } from "../shared/shared-fields.tsx";
import { ldapProviderTexts } from "./ldap-texts.ts";
import { attributeNames, type LdapProviderValues, needsBindPassword } from "./ldap-values.ts";

interface FieldsProps {
  readonly form: Form<LdapProviderValues>;
}

/** The fields of a directory. Without `stored` it is a new one. */
export function LdapProviderFields({
  form,
  stored,
}: FieldsProps & { readonly stored?: LdapConfig }): JSX.Element {
  return (
    <>
      <NameField form={form} hasFocus={stored === undefined} />
      <ConnectionFields form={form} {...(stored === undefined ? {} : { stored })} />
      <PeopleFields form={form} />
      <AttributeFields form={form} />
      <GroupFields form={form} />
      <SignInFields form={form} />
    </>
  );
}

function ConnectionFields({ form, stored }: FieldsProps & { readonly stored?: LdapConfig }): JSX.Element {
  const texts = useTexts(ldapProviderTexts);
  const isNeeded = needsBindPassword(form.values, stored);
  const isOther = isNeeded && stored !== undefined && stored.bindDn !== "";
  const kept = isNeeded ? texts.bindPasswordHint : texts.bindPasswordKept;
  return (
    <>
      <h3>{texts.connection}</h3>
      <LinesField form={form} name="ldap.servers" label={texts.servers} hint={texts.serversHint} />
      <CheckField form={form} name="ldap.plainText" label={texts.plainText} hint={texts.plainTextHint} />
      <LongTextField
        form={form}
        name="ldap.caCertificates"
        label={texts.caCertificates}
        hint={texts.caCertificatesHint}
      />
      <TextField form={form} name="ldap.bindDn" label={texts.bindDn} hint={texts.bindDnHint} />
      {form.values["ldap.bindDn"] !== "" && (
        <TextField
          form={form}
          name="ldap.bindPassword"
          type="password"
          autocomplete="new-password"
          label={texts.bindPassword}
          hint={isOther ? texts.bindPasswordAgainHint : kept}
          isRequired={isNeeded}
        />
      )}
    </>
  );
}

function PeopleFields({ form }: FieldsProps): JSX.Element {
  const texts = useTexts(ldapProviderTexts);
  return (
    <>
      <h3>{texts.people}</h3>
      <TextField form={form} name="ldap.baseDn" label={texts.baseDn} hint={texts.baseDnHint} />
      <TextField form={form} name="ldap.userFilter" label={texts.userFilter} hint={texts.userFilterHint} />
      <LinesField
        form={form}
        name="ldap.loginAttributes"
        label={texts.loginAttributes}
        hint={texts.loginAttributesHint}
      />
    </>
  );
}

function AttributeFields({ form }: FieldsProps): JSX.Element {
  const texts = useTexts(ldapProviderTexts);
  return (
    <>
      <h3>{texts.attributes}</h3>
      <p class="hint">{texts.attributesLead}</p>
      {attributeNames.map((name) => (
        <TextField
          key={name}
          form={form}
          name={`ldap.${name}`}
          label={texts.names[name]}
          hint={texts.usual[name]}
        />
      ))}
      <CheckField form={form} name="ldap.trustMail" label={texts.trustMail} hint={texts.trustMailHint} />
    </>
  );
}

function GroupFields({ form }: FieldsProps): JSX.Element {
  const texts = useTexts(ldapProviderTexts);
  return (
    <>
      <h3>{texts.groups}</h3>
      <p class="hint">{texts.groupsLead}</p>
      <TextField
        form={form}
        name="ldap.memberOfAttribute"
        label={texts.memberOfAttribute}
        hint={texts.memberOfAttributeHint}
      />
      <TextField form={form} name="ldap.groupBaseDn" label={texts.groupBaseDn} hint={texts.groupBaseDnHint} />
      <TextField
        form={form}
        name="ldap.groupMemberAttribute"
        label={texts.groupMemberAttribute}
        hint={texts.groupMemberAttributeHint}
      />
    </>
  );
}
