import { createClient } from "@connectrpc/connect";
import type { JSX } from "preact";
import { ApplicationService } from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { ProjectService } from "../../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useApi } from "../../../api/api.ts";
import { useQuery } from "../../../api/use-query.ts";
import { Link } from "../../../routing/navigation.tsx";
import { toPath } from "../../../routing/routes.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { activityTexts } from "./texts.ts";

/** Of so many projects it is looked whether they have an application. */
const mostProjects = 5;

/** What there is in an organization already. */
export interface Beginnings {
  readonly organization: string;
  /** The oldest project; undefined: there is none. */
  readonly project: string | undefined;
  readonly hasApplication: boolean;
  readonly hasPerson: boolean;
}

/** Reads what there is in the organization; undefined as long as it is not known, and null where the user may not add what is missing. */
export function useBeginnings(organization: string | undefined): Beginnings | undefined | null {
  const { transport, permissions } = useApi();
  const { data, problem } = useQuery(async () => {
    if (organization === undefined) return null;
    const mayAdd =
      permissions.can("project.create", { organization }) && permissions.can("user.write", { organization });
    if (!mayAdd) return null;
    const within = transport(organization);
    const { projects } = await createClient(ProjectService, within).listProjects({ pageSize: mostProjects });
    const applications = createClient(ApplicationService, within);
    const found = await Promise.all(
      projects.map(({ id: projectId }) => applications.listApplications({ projectId, pageSize: 1 })),
    );
    const { users } = await createClient(UserService, within).listUsers({ pageSize: 10 });
    return {
      organization,
      project: projects[0]?.id,
      hasApplication: found.some((answer) => answer.applications.length > 0),
      hasPerson: users.filter(({ type }) => type.case === "human").length > 1,
    };
  }, [transport, organization]);
  return problem === undefined ? data : null;
}

/** What to do first in an organization: an application, a person, emails. Nothing once there are an application and two people. */
export function FirstSteps({
  beginnings,
  sendsEmails,
}: {
  readonly beginnings: Beginnings;
  readonly sendsEmails: boolean;
}): JSX.Element | null {
  const texts = useTexts(activityTexts).first;
  const { organization, project, hasApplication, hasPerson } = beginnings;
  if (hasApplication && hasPerson) return null;
  const placeOfApplication =
    project === undefined
      ? toPath("/orgs/:organization/projects/new", { organization })
      : toPath("/orgs/:organization/projects/:project/applications/new", { organization, project });
  return (
    <section class="panel" aria-labelledby="first-title">
      <h2 id="first-title">{texts.title}</h2>
      <ol class="steps">
        <li>
          <Link to={placeOfApplication}>{project === undefined ? texts.project : texts.application}</Link>
          {hasApplication && <Done />}
        </li>
        <li>
          <Link to={toPath("/orgs/:organization/users/new", { organization })}>{texts.person}</Link>
          {hasPerson && <Done />}
        </li>
        <li>
          {texts.mail}
          {sendsEmails && <Done />}
        </li>
      </ol>
    </section>
  );
}

function Done(): JSX.Element {
  return (
    <>
      {" "}
      <span class="state active">{useTexts(activityTexts).first.done}</span>
    </>
  );
}
