import type { Membership } from "../../../../gen/console/gatehouse/v1/membership_pb.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { useNames } from "../../ui/names/use-names.ts";
import { membershipTexts } from "./texts.ts";

/** A scope as people read it, and the page of its memberships. */
export interface NamedScope {
  readonly title: string;
  readonly to: string | undefined;
}

/** Returns a function that names the scope of a membership. */
export function useScopeNames(): (membership: Membership) => Promise<NamedScope> {
  const texts = useTexts(membershipTexts).scope;
  const names = useNames();
  return async ({ scope, details }) => {
    const organization = details?.resourceOwner ?? "";
    switch (scope.case) {
      case "organizationId": {
        const { title } = await names.organization(scope.value);
        const to = toPath("/orgs/:organization/memberships", { organization: scope.value });
        return { title: texts.organizationId(title), to };
      }
      case "projectId": {
        const { title } = await names.project(scope.value, organization);
        const params = { organization, project: scope.value };
        const to = toPath("/orgs/:organization/projects/:project/memberships", params);
        return { title: texts.projectId(title), to };
      }
      case "projectGrantId": {
        const grants = await names.grantedProjects(organization);
        const grant = grants.find(({ id }) => id === scope.value);
        if (grant === undefined) return { title: texts.projectGrantId(scope.value), to: undefined };
        const params = { organization, project: grant.projectId, grant: grant.id };
        const to = toPath("/orgs/:organization/granted-projects/:project/:grant/memberships", params);
        return { title: texts.projectGrantId(grant.projectName), to };
      }
      default:
        return { title: texts.instance, to: "/memberships" };
    }
  };
}
