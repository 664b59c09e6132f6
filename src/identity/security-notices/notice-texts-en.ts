import type { NoticeTexts } from "./notice-texts.ts";

/** English. */
export const noticesInEnglish: NoticeTexts = {
  locale: "en-GB",
  subject: "Your sign-in details have changed",
  greeting: "Hello\n\nThis has changed on your account:",
  changes: {
    password_added: "A password was set",
    password_changed: "The password was changed",
    password_removed: "The password was removed",
    passkey_added: "A passkey was added",
    passkey_removed: "A passkey was removed",
    security_key_added: "A security key was added as a second factor",
    security_key_removed: "A security key was removed",
    authenticator_app_added: "An authenticator app was added as a second factor",
    authenticator_app_removed: "An authenticator app was removed",
    recovery_codes_added: "Recovery codes were made",
    recovery_codes_replaced: "New recovery codes replaced the former ones",
    recovery_codes_removed: "The recovery codes were removed",
    recovery_code_used: "A recovery code was used to sign in",
    provider_link_added: "The account was linked to an identity provider, with which you can sign in",
    provider_link_removed: "A link to an identity provider was removed",
    username_changed: "The username was changed",
    email_changed: "The email address was changed; before that it was the address that this email went to",
    email_removed: "The email address was removed; before that it was the address that this email went to",
    personal_access_token_added: "A personal access token was made",
    personal_access_token_removed: "A personal access token was removed",
  },
  at: (date) => `${date} (UTC)`,
  byAccount: (remoteAddress) =>
    remoteAddress === undefined
      ? "By somebody using your account"
      : `By somebody using your account, from the address ${remoteAddress}`,
  byAdministrator: (name) =>
    name === undefined ? "By an administrator" : `By an administrator with the name ${name}`,
  byService: "By the service itself",
  more: (count) => (count === 1 ? "And one more change." : `And ${count} more changes.`),
  expected: "If you did this or know about it, you need not do anything.",
  unexpected:
    "If not, check your account now: change your password, remove everything that you do not recognize, and end all other sessions.",
  lockedOut: "If you cannot sign in any more, ask an administrator of your organization for help.",
};
