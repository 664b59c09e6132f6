import type { JSX } from "preact";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import { UserFrame } from "../../frames/user-frame.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { History } from "../../ui/events/history.tsx";

/** What happened to a project and its roles. */
export function ProjectHistoryPage({ params }: PageProps<"organization" | "project">): JSX.Element {
  return (
    <ProjectFrame params={params}>
      {({ id, details }) => <History aggregate="project" id={id} version={details?.sequence} />}
    </ProjectFrame>
  );
}

/** What happened to a user, with phones, factors and tokens. */
export function UserHistoryPage({ params }: PageProps<"organization" | "user">): JSX.Element {
  return (
    <UserFrame params={params}>
      {({ id, details }) => <History aggregate="user" id={id} version={details?.sequence} />}
    </UserFrame>
  );
}
