import type { JSX } from "preact";
import { useApi } from "../../api/api.ts";
import { GroupFrame } from "../../frames/group-frame.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { MembershipList, useAdding } from "./membership-list.tsx";
import { membershipTexts } from "./texts.ts";
import { useScopesOfPlace } from "./use-scopes.ts";

/** Lists the memberships of a group, which all who are in it hold. */
export function GroupMembershipsPage({ params }: PageProps<"organization" | "group">): JSX.Element {
  const texts = useTexts(membershipTexts);
  const { permissions } = useApi();
  const { organization } = params;
  const mayAdd =
    permissions.canSomewhere("membership.write", organization) &&
    permissions.can("group.write", { organization });
  const loadScopes = useScopesOfPlace(organization);
  const adding = useAdding(mayAdd ? loadScopes : undefined);
  return (
    <GroupFrame params={params} actions={() => adding.button}>
      {(group) => (
        <>
          <p class="hint list-head">{texts.lead.group}</p>
          <MembershipList group={{ id: group.id, title: group.name }} adding={adding} />
        </>
      )}
    </GroupFrame>
  );
}
