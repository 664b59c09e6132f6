import type { JSX } from "preact";
import type { PageProps } from "../../../routing/page-entry.ts";
import { AddProvider } from "../shared/add-provider.tsx";
import { OidcProviderFields } from "./oidc-fields.tsx";
import { toOidcProviderRequest, toOidcProviderValues } from "./oidc-values.ts";
import { OidcAddress } from "./oidc-view.tsx";

/** Adds an OpenID Connect provider. */
export function AddOidcProviderPage(props: PageProps<"organization">): JSX.Element {
  return (
    <AddProvider
      {...props}
      kind={{
        of: "oidc",
        initial: toOidcProviderValues(),
        needed: "oidc.clientSecret",
        secrets: ["oidc.clientSecret"],
        toRequest: toOidcProviderRequest,
        address: <OidcAddress />,
        fields: (form) => <OidcProviderFields form={form} isNew />,
      }}
    />
  );
}
