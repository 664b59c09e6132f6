import type { LoginPage } from "../login-page.ts";
import { accountPage } from "../pages/account.ts";
import { allowDevicePage } from "../pages/allow-device.ts";
import { directoryPage } from "../external/directory-page.ts";
import { confirmPage } from "../pages/confirm.ts";
import { forgottenPasswordPage } from "../pages/forgotten-password.ts";
import { idpPage } from "../pages/idp.ts";
import { newFactorPage } from "../pages/new-factor.ts";
import { invitationPage } from "../invitation/invitation-page.ts";
import { linkIdentityPage } from "../pages/link-identity.ts";
import { newIdentityPage } from "../pages/new-identity.ts";
import { newPasswordPage } from "../pages/new-password.ts";
import { passkeyNeededPage, passkeyPage } from "../pages/passkey.ts";
import { newTotpPage } from "../pages/new-totp.ts";
import { ownFactorPage } from "../pages/own-factor.ts";
import { passwordPage } from "../pages/password.ts";
import { previewPage } from "../standalone/preview.ts";
import { recoveryCodePage } from "../pages/recovery-code.ts";
import { registerPage } from "../pages/register.ts";
import { resetPasswordPage } from "../pages/reset-password.ts";
import { reviewFactorsPage } from "../pages/review-factors.ts";
import { secondFactorPage } from "../pages/second-factor.ts";
import { emailCodePage, newEmailCodePage, newSmsCodePage, smsCodePage } from "../pages/sent-code.ts";
import { setupPage } from "../pages/setup.ts";
import { totpPage } from "../pages/totp.ts";
import type { StandalonePage } from "../standalone-page.ts";

const pages: readonly LoginPage[] = [
  accountPage,
  newIdentityPage,
  passwordPage,
  forgottenPasswordPage,
  registerPage,
  idpPage,
  directoryPage,
  passkeyPage,
  secondFactorPage,
  passkeyNeededPage,
  totpPage,
  emailCodePage,
  smsCodePage,
  recoveryCodePage,
  ownFactorPage,
  newFactorPage,
  newTotpPage,
  newEmailCodePage,
  newSmsCodePage,
  reviewFactorsPage,
  newPasswordPage,
  linkIdentityPage,
  confirmPage,
  allowDevicePage,
];
const standalonePages: readonly StandalonePage[] = [
  resetPasswordPage,
  invitationPage,
  setupPage,
  previewPage,
];

/** Finds a page of interactions by its name. */
export function findPage(name: string): LoginPage | undefined {
  return pages.find((page) => page.name === name);
}

/** Finds a page that belongs to no interaction by the first part of its path. */
export function findStandalonePage(name: string): StandalonePage | undefined {
  return standalonePages.find((page) => page.name === name);
}
