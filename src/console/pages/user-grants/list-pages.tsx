import type { JSX } from "preact";
import { useCan } from "../../api/api.ts";
import { GrantedProjectFrame } from "../../frames/granted-project-frame.tsx";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
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

function AddButtons({
  organization,
  project,
}: {
  readonly organization: string;
  readonly project?: string;
}): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const { go } = useNavigation();
  const query = project === undefined ? "" : `?project=${project}`;
  return (
    <>
      <Button
        onClick={() => go(`${toPath("/orgs/:organization/user-grants/several", { organization })}${query}`)}
      >
        {texts.addSeveral}
      </Button>
      <Button
        look="first"
        onClick={() => go(`${toPath("/orgs/:organization/user-grants/new", { organization })}${query}`)}
      >
        {texts.add}
      </Button>
    </>
  );
}
