import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { UserServiceCommands } from "./commands.ts";
import { createAdditionRpcs } from "../people/additions/rpc.ts";
import { createInvitationRpcs } from "../people/invitations/rpc.ts";
import { createCodeFactorRpcs } from "../factors/code-factors/rpc.ts";
import { createEmailRpcs } from "../people/emails/rpc.ts";
import { createPasswordRpcs } from "../people/passwords/rpc.ts";
import { createPasskeyRpcs } from "../factors/passkeys/rpc.ts";
import { createPhoneRpcs } from "../people/phones/rpc.ts";
import { createSecondFactorRpcs } from "../factors/second-factors/rpc.ts";
import { createIdentityLinkRpcs } from "../people/identity-links/rpc.ts";
import { createKeyRpcs } from "../programs/keys/rpc.ts";
import { createRefreshTokenRpcs } from "../people/refresh-tokens/rpc.ts";
import { createRecoveryCodeRpcs } from "../factors/recovery-codes/rpc.ts";
import { createSecretRpcs } from "../programs/secrets/rpc.ts";
import { createTokenRpcs } from "../programs/tokens/rpc.ts";
import { createTotpRpcs } from "../factors/totp/rpc.ts";
import { createUserRpcs } from "../people/user/rpc.ts";

/** Maps the messages of UserService to commands; each noun maps its own. */
export function createUserService(
  commands: UserServiceCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(UserService, {
    ...createUserRpcs(commands, context),
    ...createAdditionRpcs(commands),
    ...createInvitationRpcs(commands.invitations),
    ...createEmailRpcs(commands.emails),
    ...createPasswordRpcs(commands.passwords),
    ...createPhoneRpcs(commands.phones),
    ...createSecondFactorRpcs(commands.u2f, context),
    ...createPasskeyRpcs(commands.passkeys, context),
    ...createTotpRpcs(commands.totp),
    ...createCodeFactorRpcs(commands.codeFactors),
    ...createRecoveryCodeRpcs(commands.recoveryCodes),
    ...createTokenRpcs(commands.tokens, context),
    ...createRefreshTokenRpcs(commands.refreshTokens, context),
    ...createIdentityLinkRpcs(commands.links, context),
    ...createKeyRpcs(commands.keys, context),
    ...createSecretRpcs(commands.secrets),
  });
}
