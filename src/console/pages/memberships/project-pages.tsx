import type { JSX } from "preact";
import { GrantedProjectFrame } from "../../frames/granted-project-frame.tsx";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { MembershipList, useAdding } from "./membership-list.tsx";
import type { MembershipScope } from "./roles.ts";
import { membershipTexts } from "./texts.ts";
import { useScopesToAdd } from "./use-scopes.ts";

/** Lists the memberships on a single project. */
export function ProjectMembershipsPage({ params }: PageProps<"organization" | "project">): JSX.Element {
  const texts = useTexts(membershipTexts);
  const scope: MembershipScope = { case: "projectId", value: params.project };
  const adding = useAdding(useScopesToAdd([{ scope, ownerId: params.organization, title: "" }]));
  return (
    <ProjectFrame params={params} actions={() => adding.button}>
      {() => (
        <>
          <p class="hint list-head">{texts.lead.projectId}</p>
          <MembershipList scope={scope} adding={adding} />
        </>
      )}
    </ProjectFrame>
  );
}

/** Lists the memberships on a project that another organization has granted to this one. */
export function GrantedProjectMembershipsPage({
  params,
}: PageProps<"organization" | "project" | "grant">): JSX.Element {
  const texts = useTexts(membershipTexts);
  const scope: MembershipScope = { case: "projectGrantId", value: params.grant };
  const adding = useAdding(useScopesToAdd([{ scope, ownerId: params.organization, title: "" }]));
  return (
    <GrantedProjectFrame params={params} actions={() => adding.button}>
      {() => (
        <>
          <p class="hint list-head">{texts.lead.projectGrantId}</p>
          <MembershipList scope={scope} adding={adding} />
        </>
      )}
    </GrantedProjectFrame>
  );
}
