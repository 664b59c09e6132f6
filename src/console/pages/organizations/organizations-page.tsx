import type { JSX } from "preact";
import { useApi, useClient } from "../../api/api.ts";
import { OrganizationService } from "../../../../gen/console/gatehouse/v1/organization_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { StateMark, toObjectState } from "../../ui/state-mark.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { organizationTexts } from "./texts.ts";

/** Lists the organizations that the user may read. */
export function OrganizationsPage(): JSX.Element {
  const texts = useTexts(organizationTexts);
  const shared = useTexts(uiTexts);
  const { permissions } = useApi();
  const { go } = useNavigation();
  const client = useClient(OrganizationService);
  const add = permissions.can("organization.create", {}) && (
    <Button look="first" onClick={() => go("/orgs/new")}>
      {texts.add}
    </Button>
  );
  return (
    <PageFrame title={texts.title} lead={texts.lead} actions={add}>
      <List
        name={texts.title}
        load={async ({ filters, ...page }) => {
          const answer = await client.listOrganizations({ ...page, search: filters["search"] ?? "" });
          return { ...answer, rows: answer.organizations };
        }}
        columns={[
          { title: texts.name, text: ({ name }) => name },
          { title: shared.id, text: ({ id }) => id, isMinor: true },
          {
            title: texts.state,
            text: ({ state }) => toObjectState(state),
            render: ({ state }) => <StateMark state={state} />,
          },
        ]}
        filters={[{ name: "search", label: shared.nameOrId, isLive: true }]}
        idOf={({ id }) => id}
        linkOf={({ id }) => toPath("/orgs/:organization", { organization: id })}
        empty={{ title: texts.emptyTitle, text: texts.emptyText, action: add }}
      />
    </PageFrame>
  );
}
