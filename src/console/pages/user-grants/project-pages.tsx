import type { JSX } from "preact";
import { useCan } from "../../api/api.ts";
import { GrantedProjectFrame } from "../../frames/granted-project-frame.tsx";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { AddButtons } from "./add-buttons.tsx";
import { userGrantTexts } from "./texts.ts";
import { UserGrantList } from "./user-grant-list.tsx";

/** Lists the user grants for a project of the organization. */
export function ProjectUserGrantsPage({ params }: PageProps<"organization" | "project">): JSX.Element {
  const { organization, project } = params;
  const mayWrite = useCan()("user.grant.write", { project });
  const add = mayWrite && <AddButtons organization={organization} project={project} />;
  return (
    <ProjectFrame params={params} actions={() => add}>
      {() => <ListOfProject organization={organization} project={project} mayWrite={mayWrite} add={add} />}
    </ProjectFrame>
  );
}

/** Lists the user grants for a project that another organization has granted to this one. */
export function GrantedProjectUserGrantsPage({
  params,
}: PageProps<"organization" | "project" | "grant">): JSX.Element {
  const { organization, project, grant } = params;
  const mayWrite = useCan()("user.grant.write", { projectGrant: grant });
  const add = mayWrite && <AddButtons organization={organization} project={project} />;
  return (
    <GrantedProjectFrame params={params} actions={() => add}>
      {() => <ListOfProject organization={organization} project={project} mayWrite={mayWrite} add={add} />}
    </GrantedProjectFrame>
  );
}

function ListOfProject({
  organization,
  project,
  mayWrite,
  add,
}: {
  readonly organization: string;
  readonly project: string;
  readonly mayWrite: boolean;
  readonly add: JSX.Element | false;
}): JSX.Element {
  const texts = useTexts(userGrantTexts);
  return (
    <>
      <p class="hint list-head">{texts.projectLead}</p>
      <UserGrantList
        organizationId={organization}
        projectId={project}
        mayWrite={mayWrite}
        filters={[
          { name: "search", label: texts.searchOfProject, isLive: true },
          { name: "user", label: texts.userFilter, isMinor: true },
          { name: "role", label: texts.roleFilter, isMinor: true },
        ]}
        empty={{ text: texts.emptyText, action: <div class="actions">{add}</div> }}
      />
    </>
  );
}
