import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { LoginState } from "../login-state.ts";
import type { LoginStep } from "../step.ts";
import { allowDeviceStep } from "../steps/allow-device.ts";
import { chooseAccountStep } from "../steps/choose-account.ts";
import { confirmApplicationStep } from "../steps/confirm-application.ts";
import { linkIdentityStep } from "../steps/link-identity.ts";
import { newIdentityStep } from "../steps/new-identity.ts";
import { newPasswordStep } from "../steps/new-password.ts";
import { passkeyStep } from "../steps/passkey.ts";
import { ownFactorStep } from "../steps/own-factor.ts";
import { passwordStep } from "../steps/password.ts";
import { reviewFactorsStep } from "../steps/review-factors.ts";
import { newFactorStep, secondFactorStep } from "../steps/second-factor.ts";

/** All that a login may need, in the order in which it is asked for. After the password step there is a user. */
const steps: readonly LoginStep[] = [
  chooseAccountStep,
  newIdentityStep,
  passwordStep,
  secondFactorStep,
  passkeyStep,
  ownFactorStep,
  newFactorStep,
  reviewFactorsStep,
  newPasswordStep,
  linkIdentityStep,
  confirmApplicationStep,
  allowDeviceStep,
];

/** Finds the first step that is needed now; undefined when the login is complete. */
export async function findNextStep(tx: ReadTransaction, state: LoginState): Promise<LoginStep | undefined> {
  for (const step of steps) if (await step.isNeeded(tx, state)) return step;
  return undefined;
}
