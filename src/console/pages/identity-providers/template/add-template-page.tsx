import type { JSX } from "preact";
import type { PageProps } from "../../../routing/page-entry.ts";
import { ChooseProviderKindPage } from "../shared/choose-kind-page.tsx";
import { AddProvider } from "../shared/add-provider.tsx";
import { TemplateFormFields } from "./template-form-fields.tsx";
import { isTemplateKind, secretOf, toTemplateRequest, toTemplateValues } from "./template-values.ts";
import { TemplateAddress } from "./template-view.tsx";

/** Adds a provider that is known beforehand. An address that names none offers all kinds. */
export function AddTemplateProviderPage(props: PageProps<"organization" | "template">): JSX.Element {
  const { template } = props.params;
  if (!isTemplateKind(template)) return <ChooseProviderKindPage {...props} />;
  return (
    <AddProvider
      {...props}
      kind={{
        of: template,
        initial: toTemplateValues(template),
        needed: secretOf(template),
        secrets: [secretOf(template)],
        toRequest: (values) => toTemplateRequest(template, values),
        address: <TemplateAddress />,
        fields: (form) => <TemplateFormFields form={form} kind={template} />,
      }}
    />
  );
}
