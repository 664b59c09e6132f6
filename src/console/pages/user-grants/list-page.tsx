import type { JSX } from "preact";
import { useCan } from "../../api/api.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { AddButtons } from "./add-buttons.tsx";
import { useGivableProjects } from "./projects.ts";
import { userGrantTexts } from "./texts.ts";
import { UserGrantList } from "./user-grant-list.tsx";

/** Lists the user grants of the organization. */
export function OrganizationUserGrantsPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const can = useCan();
  const projects = useGivableProjects().data ?? [];
  const mayWrite = can("user.grant.write");
  // With a role on a single project or granted project, there is something to give, but not everything.
  const mayAdd =
    mayWrite ||
    projects.some(({ id, grant }) => can("user.grant.write", { project: id, projectGrant: grant?.id }));
  const add = mayAdd && <AddButtons organization={params.organization} />;
  return (
    <PageFrame title={texts.title} lead={texts.lead} actions={add}>
      <UserGrantList
        organizationId={params.organization}
        mayWrite={mayWrite}
        filters={[
          { name: "search", label: texts.search, isLive: true },
          {
            name: "project",
            label: texts.project,
            options: projects.map(({ id, name, grant }) => ({
              value: id,
              label: grant === undefined ? name : texts.grantedProject(name),
            })),
          },
          { name: "user", label: texts.userFilter, isMinor: true },
          { name: "role", label: texts.roleFilter, isMinor: true },
        ]}
        empty={{ text: texts.emptyText, action: <div class="actions">{add}</div> }}
      />
    </PageFrame>
  );
}
