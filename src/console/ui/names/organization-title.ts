import { useApi } from "../../api/api.ts";
import type { ReachableOrganization } from "../../api/use-organizations.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { uiTexts } from "../texts.ts";

/** Returns a function that says what an organization is called, also if the user may not read it but something in it. */
export function useOrganizationTitle(): (organization: ReachableOrganization) => string {
  const texts = useTexts(uiTexts);
  const own = useApi().user.details?.resourceOwner;
  return ({ id, name }) => name ?? (id === own ? texts.ownOrganization : texts.organizationOf(id));
}
