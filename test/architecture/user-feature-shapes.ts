import type { FeatureShape } from "./feature-shape.ts";

/** The folders of users, a part of `featureShapes`. */
export const userFeatureShapes: Readonly<Record<string, FeatureShape>> = {
  "src/identity/user-service": {
    noun: "user",
    without: { "<noun>.ts": "each of its nouns has a folder" },
    also: {
      "logins.ts": "composes what the nouns do for login pages",
      "taken-repository.ts": "the queries of what goes with a user, of all nouns",
    },
  },
  "src/identity/factors/authenticators": {
    noun: "authenticator",
    without: { "rpc.ts": "second factors and passkeys show theirs" },
    also: {
      "challenge.ts": "what the logins of both kinds do with a challenge",
      "challenge-repository.ts": "the table of the challenges of logins",
      "creation-options.ts": "what a browser is given to register",
      "login-registration.ts": "registrations of both kinds on pages of ours",
      "relying-party.ts": "decides which pages may use an authenticator",
    },
  },
  "src/identity/people/codes": {
    noun: "code",
    without: {
      "commands.ts": "phones, emails and passwords make and use them",
      "rpc.ts": "phones, emails and passwords show them",
    },
    also: { "typed-code.ts": "reads codes as people type them, for these and for factors" },
  },
  "src/identity/people/emails": {
    noun: "email",
    also: {
      "email-code.ts": "the use case of a code that is mailed, which calls and pages share",
      "mailer.ts": "mails codes of emails and passwords, for calls and pages",
      "mail-texts.ts": "what the mails say",
      "mail-texts-de.ts": "the mails in a language",
      "mail-texts-en.ts": "the mails in a language",
    },
  },
  "src/identity/people/messages": {
    noun: "message",
    without: { "rpc.ts": "no rpc shows them; phones, emails and passwords send them" },
    also: { "delivery-queue.ts": "how many are delivered at once, and how many wait" },
  },
  "src/identity/people/passwords": {
    noun: "password",
    also: {
      "common-password.ts": "says which passwords guessers try first",
      "encoded-hash.ts": "reads the text of a hash",
      "hash-thread.ts": "compares hashes in another thread",
      "hash-worker.ts": "what runs in that thread",
      "hasher.ts": "computes hashes, a few at once",
      "pace.ts": "measures how long hashes take here",
      "password-change.ts": "the use cases of a new password that calls and pages share",
      "password-check.ts": "the use case of a password that was typed, which calls and pages share",
      "password-link.ts": "decides where the link with a code may lead",
      "reset-commands.ts": "the use case of the call that makes a code for a password",
      "reset-request.ts": "the use cases of a code that is mailed, which calls and pages share",
    },
  },
  "src/identity/factors/passkeys": {
    noun: "passkey",
    also: { "login-commands.ts": "the use cases of logins, which no rpc has" },
  },
  "src/identity/people/phones": { noun: "phone" },
  "src/identity/people/refresh-tokens": {
    noun: "refresh-token",
    also: { "held-access.ts": "what applications have of a user, tokens or not, for the account page" },
    without: {
      "<noun>.ts": "it is an authorization, whose noun stands in authorizations",
      "repository.ts": "its queries stand there too",
    },
  },
  "src/identity/factors/recovery-codes": {
    noun: "recovery-code",
    also: { "login-commands.ts": "the use cases of logins, which no rpc has" },
  },
  "src/identity/logins/recent-logins": {
    noun: "recent-login",
    without: {
      "commands.ts": "all who change how users log in ask for one",
      "repository.ts": "it is read from factors, passkeys and policies",
      "rpc.ts": "no rpc shows it",
    },
  },
  "src/identity/factors/reviews": {
    noun: "review",
    without: {
      "commands.ts": "roles that are gained ask for them, and the login that comes next makes them",
      "rpc.ts": "only the page of a login shows them",
    },
  },
  "src/identity/people/registrations": {
    noun: "registration",
    without: {
      "repository.ts": "the tables are those of users, passwords and tries",
      "rpc.ts": "people register on a page",
    },
  },
  "src/identity/factors/second-factors": {
    noun: "u2f",
    also: {
      "login-commands.ts": "the use cases of logins, which no rpc has",
      "login.ts": "what a second factor is to a login",
    },
  },
  "src/identity/people/identity-links": { noun: "identity-link" },
  "src/identity/programs/keys": { noun: "key" },
  "src/identity/programs/secrets": { noun: "secret" },
  "src/identity/logins/login-origins": {
    noun: "login-origin",
    without: { "rpc.ts": "no rpc shows it" },
  },
  "src/identity/programs/tokens": { noun: "token" },
  "src/identity/factors/totp": {
    noun: "totp",
    also: {
      "login-commands.ts": "the use cases of logins, which no rpc has",
      "time-code.ts": "the codes of RFC 6238",
    },
  },
  "src/identity/factors/ways-in": {
    noun: "way-in",
    without: { "rpc.ts": "no rpc shows them; those that could take the last one look after it" },
  },
  "src/identity/people/user": {
    noun: "user",
    also: {
      "phone-number.ts": "reads a number as E.164",
    },
  },
};
