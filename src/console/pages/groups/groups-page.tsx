import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import type { Group } from "../../../../gen/console/gatehouse/v1/group_pb.ts";
import { GroupService } from "../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { groupTexts } from "./texts.ts";

/** Lists the groups of the organization. */
export function GroupsPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(groupTexts);
  const shared = useTexts(uiTexts);
  const { date } = useFormats();
  const mayWrite = useCan()("group.write");
  const { go } = useNavigation();
  const client = useClient(GroupService);
  const [removal, setRemoval] = useState<{ readonly groups: readonly Group[]; done(): void }>();
  const add = mayWrite && (
    <Button look="first" onClick={() => go(toPath("/orgs/:organization/groups/new", params))}>
      {texts.add}
    </Button>
  );
  return (
    <PageFrame title={texts.title} lead={texts.lead} actions={add}>
      <List
        name={texts.title}
        load={async ({ filters, ...page }) => {
          const answer = await client.listGroups({ ...page, search: filters["search"] ?? "" });
          return { ...answer, rows: answer.groups };
        }}
        inputs={[client]}
        columns={[
          { title: texts.name, text: ({ name }) => name },
          { title: texts.description, text: ({ description }) => description },
          { title: shared.id, text: ({ id }) => id, isMinor: true },
          { title: texts.changed, text: ({ details }) => date(details?.changeDate), isMinor: true },
        ]}
        filters={[{ name: "search", label: texts.search, isLive: true }]}
        idOf={({ id }) => id}
        linkOf={({ id }) => toPath("/orgs/:organization/groups/:group", { ...params, group: id })}
        bulk={
          mayWrite
            ? [{ label: shared.remove, isDanger: true, run: (groups, done) => setRemoval({ groups, done }) }]
            : []
        }
        empty={{ title: texts.emptyTitle, text: texts.emptyText, action: add }}
      />
      {removal !== undefined && (
        <RemovalDialog
          items={removal.groups}
          remove={({ id }, options) => client.removeGroup({ id }, options)}
          onClose={() => setRemoval(undefined)}
          onRemoved={() => {
            setRemoval(undefined);
            removal.done();
          }}
        />
      )}
    </PageFrame>
  );
}
