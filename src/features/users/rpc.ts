import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { UserServiceCommands } from "./commands.ts";
import { createPhoneRpcs } from "./phones/rpc.ts";
import { createSecondFactorRpcs } from "./second-factors/rpc.ts";
import { createKeyRpcs } from "./keys/rpc.ts";
import { createSecretRpcs } from "./secrets/rpc.ts";
import { createTokenRpcs } from "./tokens/rpc.ts";
import { createUserRpcs } from "./user/rpc.ts";

/** Maps the messages of UserService to commands; each noun maps its own. */
export function createUserService(
  commands: UserServiceCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(UserService, {
    ...createUserRpcs(commands, context),
    ...createPhoneRpcs(commands.phones),
    ...createSecondFactorRpcs(commands.u2f, context),
    ...createTokenRpcs(commands.tokens, context),
    ...createKeyRpcs(commands.keys, context),
    ...createSecretRpcs(commands.secrets),
  });
}
