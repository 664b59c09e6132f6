import type { Guard } from "./guards.ts";

const smtp = "test/kernel/outbound/smtp.test.ts";
const page = "test/sites/login/forgotten-password.test.ts";
const mails = "test/identity/people/emails/sending.test.ts";
const codes = "test/identity/people/passwords/mailed-codes.test.ts";
const links = "test/identity/people/passwords/password-link.test.ts";
const changes = "test/identity/security-notices/changes.test.ts";
const rounds = "test/identity/security-notices/rounds.test.ts";

/** What is mailed, to whom, and over which connections. */
export const mailGuards: readonly Guard[] = [
  {
    name: "mail: SMTP: a server without STARTTLS gets nothing",
    file: "src/kernel/outbound/smtp.ts",
    change: ['requireTLS: security === "starttls",', ""],
    in: smtp,
    test: "neither password nor mail",
  },
  {
    name: "mail: SMTP: the certificate is checked",
    file: "src/kernel/outbound/smtp.ts",
    change: ["rejectUnauthorized: true,", "rejectUnauthorized: false,"],
    in: smtp,
    test: "refuses a certificate",
  },
  {
    name: "mail: SMTP: only an address is written",
    file: "src/kernel/outbound/smtp.ts",
    change: ["if (!isEmailAddress(message.to))", 'if (message.to === "never")'],
    in: smtp,
    test: "is not sent at all",
  },
  {
    name: "mail: SMTP: what the server says is not told",
    file: "src/kernel/outbound/smtp.ts",
    change: ["message: `answered with code ${responseCode}${stage}`,", "message: String(error),"],
    in: smtp,
    test: "tells neither address",
  },
  {
    name: "mail: a plain connection to a mail server is for loopback",
    file: "src/config/mail.ts",
    change: ['hasLoopbackHost(url) ? "none" : "starttls"', '"none" as const'],
    in: "test/config/mail.test.ts",
    test: "with TLS unless",
  },
  {
    name: "mail: messages are limited per address, too",
    file: "src/identity/people/messages/message.ts",
    change: ["    freeFrom(toAddress, maxPerDay[channel]),\n", ""],
    in: mails,
    test: "go to an address 10 times",
  },
  {
    name: "mail: an address has one counter, however it is written",
    file: "src/identity/people/emails/mailer.ts",
    change: ["address: email.toLowerCase(),", "address: email,"],
    in: mails,
    test: "go to an address 10 times",
  },
  {
    name: "mail: the log has no code of a message that was not delivered",
    file: "src/identity/people/messages/commands.ts",
    change: ['text.replaceAll(code.reveal(), "[code]")', "text"],
    in: mails,
    test: "that fail are reported",
  },
  {
    name: "mail: users who set their own email have just logged in",
    file: "src/identity/people/emails/commands.ts",
    change: ["if (isSelf && input.isNew) await", "if (isSelf && !input.isNew) await"],
    in: mails,
    test: "goes to users who ask",
  },
  {
    name: "mail: a link leads to the issuer or an application of the organization",
    file: "src/identity/people/passwords/chosen-link.ts",
    change: [
      "if (origin !== own && !(await isOriginOf(tx, organizationId, origin)))",
      "if (origin === tx.constructor.name)",
    ],
    in: codes,
    test: "is never elsewhere",
  },
  {
    name: "invitations: the link replaces no factor",
    file: "src/sites/login/standalone/invited.ts",
    change: [
      "isNew: !found.user.hasPassword && !(await isSetUp(tx, userId))",
      "isNew: found.user.id !== undefined",
    ],
    in: "test/sites/login/invitation.test.ts",
    test: "who has a second factor",
  },
  {
    name: "invitations: a stopped user has none",
    file: "src/identity/people/user/commands.ts",
    change: ["return isStop ? [", "return (isStop as unknown) === 1 ? ["],
    in: "test/identity/people/invitations/commands.test.ts",
    test: "is ended by a",
  },
  {
    name: "invitations: a passkey is answered for by the reader of the code",
    file: "src/sites/login/invitation/invitation-page.ts",
    change: ["tried.settle(tx, taken.loginOrigin)", "tried.settle(tx)"],
    in: "test/sites/login/invitation.test.ts",
    test: "for which the inviter answers",
  },
  {
    name: "mail: a template begins with its origin",
    file: "src/identity/people/passwords/password-link.ts",
    change: ["if (!before.startsWith(`${origin}/`)) throw templateInvalid(field);", ""],
    in: links,
    test: "must not be",
  },
  {
    name: "mail: forgotten password: requests are counted before the user is looked for",
    file: "src/identity/people/passwords/reset-request.ts",
    change: ["await reserveTries(tx, [counter, address]);", "await reserveTries(tx, [address]);"],
    in: page,
    test: "pause alike",
  },
  {
    name: "mail: forgotten password: only a verified address gets a code",
    file: "src/identity/people/passwords/reset-request.ts",
    change: [" || !user.isEmailVerified) return", ") return"],
    in: page,
    test: "that is not verified",
  },
  {
    name: "mail: forgotten password: only the organization that logs in",
    file: "src/identity/people/passwords/reset-request.ts",
    change: ["if (homeId !== undefined && homeId !== home) return undefined;", ""],
    in: page,
    test: "of another organization",
  },
  {
    name: "mail: forgotten password: not where the policy has none",
    file: "src/sites/login/pages/forgotten-password.ts",
    change: [
      "if (!mayAskForPassword(ports, state)) throw",
      "if (!mayAskForPassword(ports, state) && ports === undefined) throw",
    ],
    in: page,
    test: "policy has no passwords",
  },
  {
    name: "mail: an address that somebody else set is verified no longer once its user gains roles",
    file: "src/identity/memberships/end-known-password.ts",
    change: ["return isGood ? [] : [", "return isGood || email !== undefined ? [] : ["],
    in: "test/identity/memberships/known-addresses.test.ts",
    test: "verified no longer",
  },
  {
    name: "mail: a change of a sign-in is told to the address before it",
    file: "src/identity/security-notices/repository.ts",
    change: ["[sequence, userId, user.email, change]", '[sequence, userId, "", change]'],
    in: changes,
    test: "email_changed is told",
  },
  {
    name: "mail: the instance decides for users with a role outside whether they hear of changes",
    file: "src/identity/security-notices/repository.ts",
    change: ["isOutside ? undefined : organizationId", "organizationId"],
    in: changes,
    test: "of the instance decides",
  },
  {
    name: "mail: no process sends a notice that another one has claimed",
    file: "src/identity/security-notices/repository.ts",
    change: ["SET tries = tries + 1, next_ms = ? WHERE", "SET tries = tries + 1, next_ms = ? * 0 WHERE"],
    in: rounds,
    test: "take over from one that is dead",
  },
];
