import type { WriteTransaction } from "../../base/database.ts";
import type { MembershipId, OrganizationId, UserId } from "../../base/ids.ts";
import type { NewEvent } from "../../events/event.ts";
import { addMembership } from "../memberships/membership.ts";
import { addOrganization } from "../organizations/organization.ts";
import { findOrganizationByName } from "../organizations/repository.ts";
import { setPassword } from "../users/passwords/password.ts";
import { putPasswordHash } from "../users/passwords/repository.ts";
import { isUsernameTaken } from "../users/user/repository.ts";
import { addHumanUser } from "../users/user/user.ts";
import { findInstanceId, type UsedSetupLink, useSetupLink } from "./repository.ts";

/** An administrator who signs up. */
export interface NewAdministrator {
  readonly link: UsedSetupLink;
  readonly username: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly email: string;
  /** The hash of the password. */
  readonly encoded: string;
}

/** An administrator who has signed up, and what is to be recorded. */
export interface AddedAdministrator {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly events: readonly NewEvent[];
}

/** Why nobody can sign up like that: the link was used, the username is taken, or the organization is INACTIVE. */
export type SetupRefusal = "link_used" | "username_taken" | "organization";

const organizationName = "Default";

/**
 * Adds a human user with a password who is INSTANCE_OWNER, in the organization "Default", which is added again if it is gone. The
 * link is used up. Nothing must stay of a transaction in which it was refused.
 */
export async function addAdministrator(
  tx: WriteTransaction,
  administrator: NewAdministrator,
): Promise<AddedAdministrator | SetupRefusal> {
  const { link, username, givenName, familyName, email, encoded } = administrator;
  if (!(await useSetupLink(tx, link))) return "link_used";
  if (await isUsernameTaken(tx, username)) return "username_taken";
  const instanceId = await findInstanceId(tx);
  if (instanceId === undefined) throw new Error("there is no instance yet");
  const organization = await findOrganizationByName(tx, organizationName);
  if (organization?.state === "INACTIVE") return "organization";
  const organizationId = organization?.id ?? tx.nextId<OrganizationId>();
  const userId = tx.nextId<UserId>();
  await putPasswordHash(tx, userId, encoded);
  const profile = {
    username,
    givenName,
    familyName,
    email,
    displayName: "",
    preferredLanguage: "",
    phone: "",
  };
  const details = { sequence: 0, creationDate: 0, resourceOwner: organizationId };
  return {
    userId,
    organizationId,
    events: [
      ...(organization === undefined ? [addOrganization(organizationId, organizationName)] : []),
      addHumanUser(userId, organizationId, profile),
      setPassword(
        { id: userId, details },
        { isChangeRequired: false, origin: { creator: userId, madeWithTokenId: undefined } },
      ),
      addMembership({
        id: tx.nextId<MembershipId>(),
        userId,
        scope: { kind: "instance" },
        roles: ["INSTANCE_OWNER"],
        resourceOwner: instanceId,
      }),
    ],
  };
}
