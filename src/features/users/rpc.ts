import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { UserServiceCommands } from "./commands.ts";
import { createEmailRpcs } from "./emails/rpc.ts";
import { createPasswordRpcs } from "./passwords/rpc.ts";
import { createPasskeyRpcs } from "./passkeys/rpc.ts";
import { createPhoneRpcs } from "./phones/rpc.ts";
import { createSecondFactorRpcs } from "./second-factors/rpc.ts";
import { createIdentityLinkRpcs } from "./identity-links/rpc.ts";
import { createKeyRpcs } from "./keys/rpc.ts";
import { createRefreshTokenRpcs } from "./refresh-tokens/rpc.ts";
import { createRecoveryCodeRpcs } from "./recovery-codes/rpc.ts";
import { createSecretRpcs } from "./secrets/rpc.ts";
import { createTokenRpcs } from "./tokens/rpc.ts";
import { createTotpRpcs } from "./totp/rpc.ts";
import { createUserRpcs } from "./user/rpc.ts";

/** Maps the messages of UserService to commands; each noun maps its own. */
export function createUserService(
  commands: UserServiceCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(UserService, {
    ...createUserRpcs(commands, context),
    ...createEmailRpcs(commands.emails),
    ...createPasswordRpcs(commands.passwords),
    ...createPhoneRpcs(commands.phones),
    ...createSecondFactorRpcs(commands.u2f, context),
    ...createPasskeyRpcs(commands.passkeys, context),
    ...createTotpRpcs(commands.totp),
    ...createRecoveryCodeRpcs(commands.recoveryCodes),
    ...createTokenRpcs(commands.tokens, context),
    ...createRefreshTokenRpcs(commands.refreshTokens, context),
    ...createIdentityLinkRpcs(commands.links, context),
    ...createKeyRpcs(commands.keys, context),
    ...createSecretRpcs(commands.secrets),
  });
}
