import type { JSX } from "preact";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { MembershipList, useAdding } from "./membership-list.tsx";
import type { MembershipScope } from "./roles.ts";
import { membershipTexts } from "./texts.ts";
import { useScopesToAdd } from "./use-scopes.ts";

/** Lists the memberships of the whole installation, or those on it as a whole. */
export function InstanceMembershipsPage(): JSX.Element {
  const texts = useTexts(membershipTexts);
  const scope: MembershipScope = { case: "instance", value: true };
  const adding = useAdding(useScopesToAdd([{ scope, ownerId: undefined, title: texts.scope.instance }]));
  return (
    <PageFrame title={texts.title} lead={texts.lead.instance} actions={adding.button}>
      <MembershipList
        filters={[
          { name: "on", label: texts.whereFilter, options: [{ value: "instance", label: texts.onInstance }] },
          { name: "user", label: texts.userFilter },
        ]}
        adding={adding}
      />
    </PageFrame>
  );
}

/** Lists the memberships on an organization itself. */
export function OrganizationMembershipsPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(membershipTexts);
  const { organization } = params;
  const scope: MembershipScope = { case: "organizationId", value: organization };
  const adding = useAdding(useScopesToAdd([{ scope, ownerId: organization, title: "" }]));
  return (
    <PageFrame title={texts.title} lead={texts.lead.organizationId} actions={adding.button}>
      <MembershipList scope={scope} filters={[{ name: "user", label: texts.userFilter }]} adding={adding} />
    </PageFrame>
  );
}
