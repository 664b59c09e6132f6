import { nextUserId } from "../people/user/imported-id-repository.ts";
import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { InstanceId, MembershipId, OrganizationId, UserId } from "../../kernel/base/ids.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { addMembership } from "../memberships/membership.ts";
import { addOrganization } from "../organizations/organization.ts";
import { findOrganizationByName } from "../organizations/repository.ts";
import { setPassword } from "../people/passwords/password.ts";
import { putPasswordHash } from "../people/passwords/repository.ts";
import { isUsernameTaken } from "../people/user/login-name-repository.ts";
import { addHumanUser } from "../people/user/user.ts";
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
  readonly instanceId: InstanceId;
  readonly events: readonly NewEvent[];
}

/** Why nobody can sign up like that: the link was used, or the username is taken. */
export type SetupRefusal = "link_used" | "username_taken";

const organizationName = "Default";

/**
 * Adds a human user with a password who is INSTANCE_OWNER, in the organization "Default", which is added again if it is gone. If it is
 * INACTIVE a new one is added, because its users cannot sign in. The link is used up. Nothing must stay of a transaction in which it was refused.
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
  const { name, id: homeId } = await findHome(tx);
  const organizationId = homeId ?? tx.nextId<OrganizationId>();
  const userId = await nextUserId(tx);
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
    instanceId,
    events: [
      ...(homeId === undefined ? [addOrganization(organizationId, name)] : []),
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

/** Finds the organization of the administrators, without an id if it is still to be added. */
async function findHome(
  tx: WriteTransaction,
): Promise<{ readonly name: string; readonly id: OrganizationId | undefined }> {
  const first = await findOrganizationByName(tx, organizationName);
  if (first?.state !== "INACTIVE") return { name: organizationName, id: first?.id };
  for (let number = 2; ; number += 1) {
    const name = `${organizationName} ${number}`;
    if ((await findOrganizationByName(tx, name)) === undefined) return { name, id: undefined };
  }
}
