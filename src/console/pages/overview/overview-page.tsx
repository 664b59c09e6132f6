import type { JSX } from "preact";
import { useApi } from "../../api/api.ts";
import { useOrganizations } from "../../api/use-organizations.ts";
import { Link } from "../../routing/navigation.tsx";
import { usePages } from "../../routing/page-list.ts";
import { defineTexts } from "../../texts/language.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { placeOfOrganization } from "../../ui/menu.ts";
import { useOrganizationTitle } from "../../ui/names/organization-title.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { LaterPanels } from "./later.tsx";
import { nameOfUser } from "../../ui/user-name.ts";

const pageTexts = defineTexts(
  {
    title: (name: string) => `Hello, ${name}`,
    lead: "Choose an organization to see its projects and users.",
    all: (count: string) => `All ${count} organizations`,
    allOfThem: "All organizations",
    noneTitle: "Nothing to administer",
    none: "You are signed in, but you have no role here. Ask an administrator of your organization for one.",
    account: "Look after your own account",
  },
  {
    title: (name) => `Guten Tag, ${name}`,
    lead: "Wählen Sie eine Organisation, um ihre Projekte und Benutzer zu sehen.",
    all: (count) => `Alle ${count} Organisationen`,
    allOfThem: "Alle Organisationen",
    noneTitle: "Nichts zu verwalten",
    none: "Sie sind angemeldet, haben hier aber keine Rolle. Bitten Sie in Ihrer Organisation um eine.",
    account: "Das eigene Konto verwalten",
  },
);

const shownCount = 12;

/** The first page: the organizations that the user administers. */
export function OverviewPage(): JSX.Element {
  const texts = useTexts(pageTexts);
  const { number } = useFormats();
  const { user, permissions } = useApi();
  const organizations = useOrganizations();
  const titleOf = useOrganizationTitle();
  const pages = usePages();
  const { organizations: all = [] } = organizations.data ?? {};
  const beginner = all.length === 1 ? all[0]?.id : undefined;
  return (
    <PageFrame title={texts.title(nameOfUser(user))} lead={permissions.isEmpty ? undefined : texts.lead}>
      <QueryView query={organizations}>
        {({ organizations: found, hasMore }) => (
          <>
            {found.length === 0 && (
              <div class="empty">
                <p class="empty-title">{texts.noneTitle}</p>
                <p>{texts.none}</p>
                <p>
                  <a href="/account">{texts.account}</a>
                </p>
              </div>
            )}
            <ul class="cards">
              {found.slice(0, shownCount).map((organization) => (
                <li key={organization.id}>
                  <Link to={placeOfOrganization(organization.id, { pages, permissions })}>
                    {titleOf(organization)}
                  </Link>
                </li>
              ))}
            </ul>
            {(hasMore || found.length > shownCount) && (
              <p>
                <Link to="/orgs">{hasMore ? texts.allOfThem : texts.all(number(found.length))}</Link>
              </p>
            )}
          </>
        )}
      </QueryView>
      <LaterPanels organizationId={undefined} beginnerId={beginner} />
    </PageFrame>
  );
}
