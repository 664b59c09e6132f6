import type { AccountPage } from "../account-page.ts";
import { applicationsPage } from "../pages/applications.ts";
import { factorsPage } from "../pages/factors.ts";
import { addAppPage } from "../pages/add-app.ts";
import { addEmailCodesPage, addSmsCodesPage } from "../pages/add-codes.ts";
import { recoveryCodesPage } from "../pages/recovery-codes.ts";
import { addFactorPage } from "../pages/add-factor.ts";
import { addPasskeyPage } from "../pages/add-passkey.ts";
import { passkeysPage } from "../pages/passkeys.ts";
import { removePasskeyPage } from "../pages/remove-passkey.ts";
import { linksPage } from "../pages/links.ts";
import { overviewPage } from "../pages/overview.ts";
import { changePasswordPage } from "../pages/change-password.ts";
import { emailPage } from "../pages/email.ts";
import { phonePage } from "../pages/phone.ts";
import { profilePage } from "../pages/profile.ts";
import { removeFactorPage } from "../pages/remove-factor.ts";
import { sessionsPage } from "../pages/sessions.ts";
import { signOutPage } from "../pages/sign-out.ts";
import { tokensPage } from "../pages/tokens.ts";
import { accountPath } from "../../login/standalone/account-path.ts";

const pages: readonly AccountPage[] = [
  overviewPage,
  profilePage,
  emailPage,
  phonePage,
  changePasswordPage,
  passkeysPage,
  addPasskeyPage,
  removePasskeyPage,
  factorsPage,
  addFactorPage,
  addAppPage,
  addEmailCodesPage,
  addSmsCodesPage,
  removeFactorPage,
  recoveryCodesPage,
  linksPage,
  sessionsPage,
  applicationsPage,
  tokensPage,
  signOutPage,
];

/** A page that was found by its path. */
export interface FoundPage {
  readonly page: AccountPage;
  /** Its path, made from what the page is called and the id: nothing else of what was sent is in it. */
  readonly path: string;
  readonly id: string;
  /** Names the path in the metrics, without the id. */
  readonly operation: string;
}

/** Finds the page of a path; undefined when there is none. */
export function findAccountPage(path: string): FoundPage | undefined {
  for (const page of pages) {
    const above = page.name === "" ? accountPath : `${accountPath}/${page.name}`;
    if (page.hasId !== true && path === above) return { page, path: above, id: "", operation: above };
    const id = path.slice(above.length + 1);
    if (page.hasId === true && path === `${above}/${id}` && looksLikeId(id))
      return { page, path: `${above}/${id}`, id, operation: `${above}/{id}` };
  }
  return undefined;
}

/** Says whether a text looks like an id. One that does not names nothing. */
export function looksLikeId(text: string): boolean {
  return /^[1-9][0-9]{0,18}$/.test(text);
}
