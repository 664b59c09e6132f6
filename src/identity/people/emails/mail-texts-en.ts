import type { MailTexts } from "./mail-texts.ts";

/** English. */
export const english: MailTexts = {
  verification: (code, minutes) => ({
    subject: "Verify your email address",
    text: `Hello

Your verification code is ${code}. It is valid for ${minutes} minutes.

If you did not ask for it, you can ignore this email.
`,
  }),
  password: (link, minutes) => ({
    subject: "Set your password",
    text: `Hello

With this link you set the password of your account. It is valid for ${minutes} minutes, and works once:

${link}

If you did not ask for it, you can ignore this email: nothing changes until the link is used.
`,
  }),
};
