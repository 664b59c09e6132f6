import type { JSX } from "preact";
import type { LdapConfig } from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import {
  IdentityProviderService,
  UpdateIdentityProviderRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Facts } from "../../../ui/facts.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { providerTexts } from "../shared/texts.ts";
import type { ProviderViewProps } from "../shared/view-props.ts";
import { LdapProviderFields } from "./ldap-fields.tsx";
import { ldapProviderTexts } from "./ldap-texts.ts";
import {
  attributeNames,
  type LdapProviderValues,
  needsBindPassword,
  toLdapProviderRequest,
  toLdapProviderValues,
} from "./ldap-values.ts";

type LdapViewProps = ProviderViewProps & { readonly ldap: LdapConfig };

/** Shows a directory; users who may change it can. */
export function LdapProviderView(props: LdapViewProps): JSX.Element {
  return props.mayWrite ? <LdapForm {...props} /> : <LdapFacts {...props} />;
}

function LdapForm({ provider, ldap, onChange, readStored }: LdapViewProps): JSX.Element {
  const texts = useTexts(providerTexts);
  const { required } = useTexts(uiTexts).form;
  const notify = useNotify();
  const client = useClient(IdentityProviderService);
  const isMissing = (values: LdapProviderValues) =>
    needsBindPassword(values, ldap) && values["ldap.bindPassword"] === "";
  const form = useForm({
    request: UpdateIdentityProviderRequestSchema,
    initial: toLdapProviderValues(provider),
    secrets: ["ldap.bindPassword"],
    check: (values): Record<string, string> => (isMissing(values) ? { "ldap.bindPassword": required } : {}),
    version: provider.details,
    async submit(values, _key, version) {
      await client.updateIdentityProvider(
        { idpId: provider.id, ...toLdapProviderRequest(values) },
        ifUnchanged(version),
      );
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const stored = await readStored();
      return { values: toLdapProviderValues(stored), version: stored.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <h2>{texts.settings}</h2>
      <LdapProviderFields form={form} stored={ldap} />
    </FormView>
  );
}

function LdapFacts({ provider, ldap }: LdapViewProps): JSX.Element {
  const shared = useTexts(providerTexts);
  const texts = useTexts(ldapProviderTexts);
  const { yes, no } = useTexts(uiTexts);
  const said = (is: boolean) => (is ? yes : no);
  return (
    <section class="panel">
      <h2>{shared.settings}</h2>
      <Facts
        facts={[
          { label: texts.servers, value: ldap.servers.join(", ") },
          { label: texts.plainText, value: said(ldap.plainText) },
          { label: texts.bindDn, value: ldap.bindDn },
          { label: texts.baseDn, value: ldap.baseDn },
          { label: texts.userFilter, value: ldap.userFilter },
          { label: texts.loginAttributes, value: ldap.loginAttributes.join(", ") },
          ...attributeNames.map((name) => ({ label: texts.names[name], value: ldap[name] })),
          { label: texts.trustMail, value: said(ldap.trustMail) },
          { label: texts.memberOfAttribute, value: ldap.memberOfAttribute },
          { label: texts.groupBaseDn, value: ldap.groupBaseDn },
          { label: texts.groupMemberAttribute, value: ldap.groupMemberAttribute },
          { label: shared.autoRegister, value: said(provider.autoRegister) },
        ]}
      />
    </section>
  );
}
