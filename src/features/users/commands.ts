import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { createdDetails, type Details } from "../../base/details.ts";
import { type OrganizationId, toId, type UserId } from "../../base/ids.ts";
import { holdsOnOrganization } from "../../base/permission.ts";
import type { NewEvent } from "../../events/event.ts";
import { type FeatureContext, write } from "../context.ts";
import { parsePhone } from "./phone.ts";
import { createPhoneCommands, type PhoneCommands, type SmsDelivery } from "./phone-commands.ts";
import { findUserById, getUser, isUsernameTaken } from "./repository.ts";
import { createTokenCommands, type TokenCommands } from "./token-commands.ts";
import type { RelyingParties } from "./u2f.ts";
import { createU2fCommands, type U2fCommands } from "./u2f-commands.ts";
import {
  addHumanUser,
  addServiceUser,
  type HumanProfile,
  type ServiceProfile,
  type User,
  userNotFound,
  usernameTaken,
} from "./user.ts";

export interface UserCommands {
  /** `phone` as the caller wrote it. Raises FIELD_INVALID for a bad one, ALREADY_EXISTS for a username that is taken. */
  addHuman(call: Call, profile: HumanProfile): Promise<AddedUser>;
  /** Raises ALREADY_EXISTS for a username that is taken. */
  addService(call: Call, profile: ServiceProfile): Promise<AddedUser>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<User>;
  readonly phones: PhoneCommands;
  readonly u2f: U2fCommands;
  readonly tokens: TokenCommands;
}

export interface AddedUser {
  readonly id: UserId;
  readonly details: Details;
}

/** What the feature needs besides the context: how codes are delivered, and where u2f tokens may be registered. */
export interface UserOptions {
  readonly sms: SmsDelivery;
  readonly relyingParties: RelyingParties;
}

export function createUserCommands(context: FeatureContext, options: UserOptions): UserCommands {
  return {
    addHuman: (call, profile) => {
      const phone = profile.phone === "" ? "" : parsePhone(profile.phone);
      return add(context, call, profile.username, (id) =>
        addHumanUser(id, call.access.organizationId, { ...profile, phone }),
      );
    },
    addService: (call, profile) =>
      add(context, call, profile.username, (id) => addServiceUser(id, call.access.organizationId, profile)),
    get: (call, id) => context.database.read((tx) => getUser(tx, call.access.organizationId, id)),
    phones: createPhoneCommands(context, options.sms),
    u2f: createU2fCommands(context, options.relyingParties),
    tokens: createTokenCommands(context),
  };
}

/**
 * Returns the id of a user whom the caller may give something: one of that organization, or of one where he holds
 * `user.read`. Raises NOT_FOUND for all others, existing or not.
 */
export async function getUserInReach(
  tx: ReadTransaction,
  call: Call,
  asked: { readonly userId: string; readonly organizationId: OrganizationId | undefined },
): Promise<UserId> {
  const user = await findUserById(tx, asked.userId);
  const home = user === undefined ? undefined : toId<OrganizationId>(user.details.resourceOwner);
  const isInReach =
    home !== undefined &&
    (home === asked.organizationId || holdsOnOrganization(call.caller.held, "user.read", home));
  if (user === undefined || !isInReach) throw userNotFound(asked.userId);
  return user.id;
}

function add(
  context: FeatureContext,
  call: Call,
  username: string,
  decide: (id: UserId) => NewEvent,
): Promise<AddedUser> {
  return write(context, call, async ({ tx, append }) => {
    if (await isUsernameTaken(tx, username)) throw usernameTaken(username);
    const id = context.ids.next<UserId>();
    return { id, details: createdDetails(await append([decide(id)]), call.access.organizationId) };
  });
}
