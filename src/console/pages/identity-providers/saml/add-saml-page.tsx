import type { JSX } from "preact";
import type { PageProps } from "../../../routing/page-entry.ts";
import { AddProvider } from "../shared/add-provider.tsx";
import { SamlProviderFields } from "./saml-fields.tsx";
import { toSamlProviderRequest, toSamlProviderValues } from "./saml-values.ts";
import { SamlAddress } from "./saml-view.tsx";

/** Adds a SAML provider. */
export function AddSamlProviderPage(props: PageProps<"organization">): JSX.Element {
  return (
    <AddProvider
      {...props}
      kind={{
        of: "saml",
        initial: toSamlProviderValues(),
        needed: "saml.entityId",
        toRequest: toSamlProviderRequest,
        address: <SamlAddress />,
        fields: (form) => <SamlProviderFields form={form} isNew />,
      }}
    />
  );
}
