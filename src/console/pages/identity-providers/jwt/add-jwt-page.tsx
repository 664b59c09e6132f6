import type { JSX } from "preact";
import type { PageProps } from "../../../routing/page-entry.ts";
import { AddProvider } from "../shared/add-provider.tsx";
import { JwtProviderFields } from "./jwt-fields.tsx";
import { toJwtProviderRequest, toJwtProviderValues } from "./jwt-values.ts";
import { JwtAddress } from "./jwt-view.tsx";

/** Adds a JWT provider. */
export function AddJwtProviderPage(props: PageProps<"organization">): JSX.Element {
  return (
    <AddProvider
      {...props}
      kind={{
        of: "jwt",
        initial: toJwtProviderValues(),
        needed: "jwt.headerName",
        toRequest: toJwtProviderRequest,
        address: <JwtAddress />,
        fields: (form) => <JwtProviderFields form={form} isNew />,
      }}
    />
  );
}
