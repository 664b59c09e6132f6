import type { JSX } from "preact";
import { useOrganizations } from "../../api/use-organizations.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { defineTexts } from "../../texts/language.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { useOrganizationTitle } from "../../ui/names/organization-title.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { LaterPanels } from "./later.tsx";

const pageTexts = defineTexts({ title: "Overview" }, { title: "Übersicht" });

/** What is going on in an organization. */
export function OrganizationOverviewPage({ params }: PageProps<"organization">): JSX.Element {
  const { organization } = params;
  const texts = useTexts(pageTexts);
  const titleOf = useOrganizationTitle();
  const { data } = useOrganizations();
  const found = data?.organizations.find(({ id }) => id === organization);
  return (
    <PageFrame title={texts.title} lead={found === undefined ? undefined : titleOf(found)}>
      <LaterPanels organizationId={organization} beginnerId={organization} />
    </PageFrame>
  );
}
