import type { JSX } from "preact";
import { useApi } from "../../api/api.ts";
import { UserFrame } from "../../frames/user-frame.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { fullNameOfUser } from "../../ui/user-name.ts";
import { MembershipList, useAdding } from "./membership-list.tsx";
import { membershipTexts } from "./texts.ts";
import { useScopesOfPlace } from "./use-scopes.ts";

/** Lists the memberships of a user, on whatever the user of the console may read. */
export function UserMembershipsPage({ params }: PageProps<"organization" | "user">): JSX.Element {
  const texts = useTexts(membershipTexts);
  const { permissions } = useApi();
  const mayAdd = permissions.canSomewhere("membership.write", params.organization);
  const loadScopes = useScopesOfPlace(params.organization);
  const adding = useAdding(mayAdd ? loadScopes : undefined);
  return (
    <UserFrame params={params} actions={() => adding.button}>
      {(user) => (
        <>
          <p class="hint list-head">{texts.lead.user}</p>
          <MembershipList user={{ id: user.id, title: fullNameOfUser(user) }} adding={adding} />
        </>
      )}
    </UserFrame>
  );
}
