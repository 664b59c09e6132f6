import type { JSX } from "preact";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { AddApi } from "./api/add-api.tsx";
import { ChooseKindPage } from "./choose-kind-page.tsx";
import { AddOidc } from "./oidc/add-oidc.tsx";
import { AddSaml } from "./saml/add-saml.tsx";
import {
  type ApplicationKind,
  type ProjectParams,
  toApplicationKind,
  toApplications,
} from "./shared/application.ts";
import { applicationTexts } from "./shared/texts.ts";

/** Adds an application of the kind that the address names, and goes to it. */
export function AddApplicationPage({ params }: PageProps<"organization" | "project" | "kind">): JSX.Element {
  const texts = useTexts(applicationTexts);
  const kind = toApplicationKind(params.kind);
  if (kind === undefined) return <ChooseKindPage params={params} />;
  return (
    <PageFrame
      title={texts.addKind(texts.kinds[kind])}
      lead={texts.kindHints[kind]}
      parent={{ to: toApplications(params), title: texts.title }}
    >
      <AddForm kind={kind} params={params} />
    </PageFrame>
  );
}

function AddForm({
  kind,
  params,
}: {
  readonly kind: ApplicationKind;
  readonly params: ProjectParams;
}): JSX.Element {
  switch (kind) {
    case "api":
      return <AddApi params={params} />;
    case "saml":
      return <AddSaml params={params} />;
    case "web":
    case "browser":
    case "native":
      return <AddOidc kind={kind} params={params} />;
  }
}
