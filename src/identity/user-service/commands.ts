import type { InstanceId } from "../../kernel/base/ids.ts";
import type { FeatureContext, UserContext } from "../context.ts";
import { type AdditionCommands, createAdditionCommands } from "../people/additions/commands.ts";
import { createInvitationCommands, type InvitationCommands } from "../people/invitations/commands.ts";
import { createPhoneCommands, type PhoneCommands } from "../people/phones/commands.ts";
import type { SmsDelivery } from "../people/phones/texter.ts";
import { loginPartyOf, type RelyingParties } from "../factors/authenticators/relying-party.ts";
import { type CodeFactorCommands, createCodeFactorCommands } from "../factors/code-factors/commands.ts";
import { createPasskeyCommands, type PasskeyCommands } from "../factors/passkeys/commands.ts";
import { createU2fCommands, type U2fCommands } from "../factors/second-factors/commands.ts";
import { createEmailCommands, type EmailCommands } from "../people/emails/commands.ts";
import {
  createPasswordCommands,
  type PasswordCommands,
  type PasswordOptions,
} from "../people/passwords/commands.ts";
import { createIdentityLinkCommands, type IdentityLinkCommands } from "../people/identity-links/commands.ts";
import { createKeyCommands, type KeyCommands } from "../programs/keys/commands.ts";
import { type HeldAccessCommands, createHeldAccessCommands } from "../people/refresh-tokens/held-access.ts";
import { createTwoFactorCheck } from "./logins.ts";
import { createRefreshTokenCommands, type RefreshTokenCommands } from "../people/refresh-tokens/commands.ts";
import { createRecoveryCodeCommands, type RecoveryCodeCommands } from "../factors/recovery-codes/commands.ts";
import { createSecretCommands, type SecretCommands } from "../programs/secrets/commands.ts";
import { createTokenCommands, type TokenCommands } from "../programs/tokens/commands.ts";
import { createTotpCommands, type TotpCommands } from "../factors/totp/commands.ts";
import { createUserCommands, type UserCommands } from "../people/user/commands.ts";

/**
 * All commands of UserService: on users, and on their emails, passwords, phones, second factors, passkeys, links, tokens, keys and
 * secrets.
 */
export interface UserServiceCommands extends UserCommands, AdditionCommands {
  readonly emails: EmailCommands;
  readonly passwords: PasswordCommands;
  readonly invitations: InvitationCommands;
  readonly phones: PhoneCommands;
  readonly u2f: U2fCommands;
  readonly passkeys: PasskeyCommands;
  readonly totp: TotpCommands;
  readonly codeFactors: CodeFactorCommands;
  readonly recoveryCodes: RecoveryCodeCommands;
  readonly tokens: TokenCommands;
  readonly refreshTokens: RefreshTokenCommands;
  readonly heldAccess: HeldAccessCommands;
  readonly links: IdentityLinkCommands;
  readonly keys: KeyCommands;
  readonly secrets: SecretCommands;
}

/**
 * The ports of the commands besides the context: what passwords are checked with, delivery of codes to addresses and phones, and the
 * domains where authenticators may be registered.
 */
export interface UserOptions extends PasswordOptions {
  readonly instanceId: InstanceId;
  readonly sms: SmsDelivery;
  readonly relyingParties: RelyingParties;
}

/** Creates the commands of users and of what belongs to them. */
export function createUserServiceCommands(
  features: FeatureContext,
  options: UserOptions,
): UserServiceCommands {
  const loginDomain = () => {
    const issuer = options.issuer();
    return issuer === undefined ? undefined : loginPartyOf(options.relyingParties, issuer)?.id;
  };
  const context: UserContext = { ...features, hasTwoFactors: createTwoFactorCheck(loginDomain) };
  return {
    ...createUserCommands(context, options.instanceId),
    ...createAdditionCommands(context, options),
    emails: createEmailCommands(context, options.mailer),
    passwords: createPasswordCommands(context, options),
    invitations: createInvitationCommands(context, options),
    phones: createPhoneCommands(context, options.sms),
    u2f: createU2fCommands(context, options.relyingParties),
    passkeys: createPasskeyCommands(context, options.relyingParties),
    totp: createTotpCommands(context, options.relyingParties.name),
    codeFactors: createCodeFactorCommands(context),
    recoveryCodes: createRecoveryCodeCommands(context),
    tokens: createTokenCommands(context),
    refreshTokens: createRefreshTokenCommands(context),
    heldAccess: createHeldAccessCommands(context),
    links: createIdentityLinkCommands(context),
    keys: createKeyCommands(context),
    secrets: createSecretCommands(context),
  };
}
