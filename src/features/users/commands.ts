import type { InstanceId } from "../../base/ids.ts";
import type { FeatureContext } from "../context.ts";
import { createPhoneCommands, type PhoneCommands, type SmsDelivery } from "./phones/commands.ts";
import { createU2fCommands, type U2fCommands } from "./second-factors/commands.ts";
import type { RelyingParties } from "./second-factors/u2f.ts";
import { createKeyCommands, type KeyCommands } from "./keys/commands.ts";
import { createSecretCommands, type SecretCommands } from "./secrets/commands.ts";
import { createTokenCommands, type TokenCommands } from "./tokens/commands.ts";
import { createUserCommands, type UserCommands } from "./user/commands.ts";

/** All commands of UserService: on users, and on their phones, second factors, tokens, keys and secrets. */
export interface UserServiceCommands extends UserCommands {
  readonly phones: PhoneCommands;
  readonly u2f: U2fCommands;
  readonly tokens: TokenCommands;
  readonly keys: KeyCommands;
  readonly secrets: SecretCommands;
}

/**
 * The ports of the commands besides the context: delivery of codes, and the domains where u2f tokens may be
 * registered.
 */
export interface UserOptions {
  readonly instanceId: InstanceId;
  readonly sms: SmsDelivery;
  readonly relyingParties: RelyingParties;
}

/** Creates the commands of users and of what belongs to them. */
export function createUserServiceCommands(
  context: FeatureContext,
  options: UserOptions,
): UserServiceCommands {
  return {
    ...createUserCommands(context, options.instanceId),
    phones: createPhoneCommands(context, options.sms),
    u2f: createU2fCommands(context, options.relyingParties),
    tokens: createTokenCommands(context),
    keys: createKeyCommands(context),
    secrets: createSecretCommands(context),
  };
}
