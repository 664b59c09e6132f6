import type { JSX } from "preact";
import type { PageProps } from "../../../routing/page-entry.ts";
import { AddProvider } from "../shared/add-provider.tsx";
import { LdapProviderFields } from "./ldap-fields.tsx";
import { needsBindPassword, toLdapProviderRequest, toLdapProviderValues } from "./ldap-values.ts";

/** Adds a directory. */
export function AddLdapProviderPage(props: PageProps<"organization">): JSX.Element {
  return (
    <AddProvider
      {...props}
      kind={{
        of: "ldap",
        initial: toLdapProviderValues(),
        needed: (values) => (needsBindPassword(values) ? "ldap.bindPassword" : undefined),
        secrets: ["ldap.bindPassword"],
        toRequest: toLdapProviderRequest,
        fields: (form) => <LdapProviderFields form={form} />,
      }}
    />
  );
}
