import { userFeatureShapes } from "./user-feature-shapes.ts";
import type { FeatureShape } from "./feature-shape.ts";

/** Every folder of `src/identity` with files in it. A new file that is none of the four needs a reason here. */
export const featureShapes: Readonly<Record<string, FeatureShape>> = {
  "src/identity/logins/access-tokens": {
    noun: "access-token",
    without: {
      "commands.ts": "the endpoints of OAuth make and revoke them",
      "rpc.ts": "no rpc shows them; access decides by them",
    },
  },
  "src/identity/api-access": {
    noun: "api-access",
    without: {
      "commands.ts": "it is a setting of applications; whatever decides who gets their tokens asks for it",
      "rpc.ts": "no rpc is about it alone",
    },
  },
  "src/identity/applications": { noun: "application" },
  "src/identity/applications/application": {
    noun: "application",
    without: {
      "commands.ts": "what is done to applications of every kind stands in applications/commands.ts",
    },
  },
  "src/identity/applications/api": { noun: "api-application" },
  "src/identity/applications/keys": { noun: "application-key" },
  "src/identity/applications/oauth": { noun: "oauth-application" },
  "src/identity/applications/oidc": {
    noun: "oidc-application",
    also: {
      "console.ts": "the application that is built in",
      "redirect-uri.ts": "decides where browsers may be sent",
    },
  },
  "src/identity/applications/saml": {
    noun: "saml-application",
    also: {
      "assertion-consumer-service.ts": "a part of the metadata with rules of its own",
      "backlog-repository.ts": "the queries of the background: which refreshes are postponed",
      "descriptor.ts": "decides which part of the metadata counts, and how long",
      "key-descriptor.ts": "a part of the metadata with rules of its own",
      "metadata-fault.ts": "how a broken rule of the metadata is told",
      "metadata-refresh.ts": "the background that fetches metadata again",
      "metadata-schedule.ts": "decides when metadata is fetched again",
      "metadata-source.ts": "the port through which metadata is fetched",
      "metadata.ts": "reads SAML metadata",
      "place-repository.ts": "the queries of logins: an application with what it belongs to",
      "refresh-repository.ts": "the queries of the background: which refreshes are due",
      "saml-config.ts": "what an application says of itself, shared by decisions, commands and background",
      "saml-problems.ts": "decides what will not work",
      "saml-settings.ts": "what its owner decides, shared by decisions, messages and logins",
      "service-provider-reader.ts": "keeps what was read of metadata, for rpcs and logins",
      "service-provider.ts": "reads of metadata what logins need",
    },
  },
  "src/identity/protocol-state/assertion-uses": {
    noun: "assertion-use",
    without: {
      "commands.ts": "a use is a part of what an assertion is used for",
      "rpc.ts": "no rpc shows them",
    },
  },
  "src/identity/logins/authorizations": {
    noun: "authorization",
    without: {
      "commands.ts": "logins and the endpoints of OAuth make and end them",
      "rpc.ts": "the rpcs of refresh tokens stand with users",
    },
    also: {
      "claims-request.ts": "the form in which the claims of a request are kept",
      "confirmation-repository.ts": "what users have let applications have",
      "gift.ts": "a second noun: what an application is given",
      "standing.ts": "the rule of who is asked, for the pages and for what is issued",
      "end-logins.ts": "the rule of what ends with a password, for all who set or end one",
      "family-repository.ts": "the lists of refresh tokens, as their users see them",
      "held-access-repository.ts":
        "what each application has of a user, as the account page lists and takes it",
      "taken-repository.ts": "the queries of what goes with other objects",
    },
  },
  "src/identity/client-keys": {
    noun: "client-key",
    without: {
      "commands.ts": "users and applications have keys",
      "repository.ts": "users and applications have tables of their own",
      "rpc.ts": "as its commands",
    },
    also: { "key-rows.ts": "the columns that the repositories share" },
  },
  "src/identity/protocol-state/dpop": {
    noun: "proof",
    without: {
      "commands.ts": "access and the endpoints of OAuth take proofs",
      "repository.ts": "their uses stand in assertion-uses",
      "rpc.ts": "no rpc shows them",
    },
    also: {
      "target.ts": "decides which URLs are the same",
      "use-proof.ts": "the write of a use that stands alone, for access and userinfo",
    },
  },
  "src/identity/events": {
    noun: "event",
    also: {
      "feed.ts": "wakes watches after a commit",
      "hidden-addresses.ts": "decides whose address a caller may see",
      "page-bytes.ts": "bounds a page by its bytes",
      "fair-queue.ts": "lets watches share the time of the process",
      "watch.ts": "the use case that does not end with its call",
    },
  },
  "src/identity/held-roles": {
    noun: "held-role",
    without: {
      "<noun>.ts": "it is made of memberships, whose noun stands in memberships",
      "commands.ts": "memberships and tokens change it",
      "rpc.ts": "access decides by it; MembershipService shows what it permits",
    },
    also: {
      "carried-roles-repository.ts": "the queries by token: what is left out of the roles of its user",
      "instance-owners.ts": "the rule of the last owner, for all who take roles away",
      "outranking.ts": "the rule who may get at whose credentials",
      "outside.ts":
        "the rule which roles no identity provider and no administrator of one's own organization gives",
      "scoped-permissions.ts": "what the roles permit, scope by scope",
    },
  },
  "src/identity/protocol-state/device-authorizations": {
    noun: "device-authorization",
    without: {
      "commands.ts": "the endpoints of OAuth begin and end them",
      "rpc.ts": "no rpc shows them",
    },
  },
  "src/identity/idempotency": {
    noun: "stored-answer",
    without: { "rpc.ts": "no rpc shows it; conditions use it" },
  },
  "src/identity/providers": {
    noun: "identity-provider",
    also: {
      "jwt.ts": "a variant",
      "kinds.ts": "the table of the variants, so that none is forgotten",
      "oidc.ts": "a variant",
    },
  },
  "src/identity/instance": {
    noun: "instance",
    without: {
      "<noun>.ts": "there is one, and it has nothing to decide over",
      "rpc.ts": "the command line works with it",
    },
    also: {
      "administrator.ts": "the first administrator who signs in",
      "setup-link.ts": "the link with which the first administrator signs up",
      "sealed-secrets.ts": "encrypts all secrets anew when keys are rotated",
      "provider-logins.ts": "takes roles from what earlier versions let providers keep",
      "unique-name-repository.ts": "folds the names of older versions as they are compared today",
      "user-keys.ts": "brings user keys of older versions under those of their organizations",
    },
  },
  "src/identity/policies": {
    noun: "login-policy",
    also: {
      "offered-provider.ts": "a part of a policy with rules of its own",
      "offered-provider-commands.ts": "its use cases",
      "offered-provider-repository.ts": "its table",
    },
  },
  "src/identity/logins/interactions": {
    noun: "interaction",
    without: {
      "commands.ts": "the pages of signing in begin and end them",
      "rpc.ts": "no rpc shows them",
    },
  },
  "src/identity/logins/known-browsers": {
    noun: "known-browser",
    without: {
      "commands.ts": "the end of a login remembers the browser",
      "rpc.ts": "no rpc shows them",
    },
  },
  "src/identity/protocol-state/logout-notices": {
    noun: "logout-notice",
    without: {
      "rpc.ts": "no rpc shows them",
    },
  },
  "src/identity/protocol-state/jwt-logins": {
    noun: "jwt-login",
    without: {
      "commands.ts": "logins at identity providers store and end them",
      "rpc.ts": "no rpc shows them",
    },
  },
  "src/identity/protocol-state/provider-visits": {
    noun: "provider-visit",
    without: {
      "commands.ts": "logins at identity providers store and end them",
      "rpc.ts": "no rpc shows them",
    },
  },
  "src/identity/protocol-state/pushed-requests": {
    noun: "pushed-request",
    without: {
      "commands.ts": "the endpoints of OAuth store and use them",
      "rpc.ts": "no rpc shows them",
    },
  },
  "src/identity/protocol-state/saml-logouts": {
    noun: "saml-logout",
    without: {
      "commands.ts": "the endpoint of logouts stores and ends them",
      "rpc.ts": "no rpc shows them",
    },
  },
  "src/identity/logins/saml-participations": {
    noun: "saml-participation",
    without: {
      "commands.ts": "logins by SAML put them, and logouts find them",
      "rpc.ts": "sessions show them",
    },
    also: { "reseal-repository.ts": "the queries of a new master key" },
  },
  "src/identity/memberships": {
    noun: "membership",
    also: {
      "left-out-repository.ts": "the table of roles that tokens do not carry",
      "list-repository.ts": "the lists of all kinds",
      "question-factors.ts": "decides which second factors a new role puts in question",
      "stop-known-logins.ts": "decides what a new role stops of the ways to log in that others know",
      "former-gains.ts": "decides the same once about roles that were gained under an earlier version",
      "former-gains-repository.ts": "the queries of whom that is about",
      "question-links.ts": "decides which links to identities elsewhere a new role puts in question",
      "end-known-password.ts": "decides whether a new role ends the password of its user",
      "tokens-to-limit.ts": "decides which tokens do not carry a new role",
    },
  },
  "src/identity/organizations": {
    noun: "organization",
    also: { "removal-sweep.ts": "the background that deletes what removed organizations have left" },
  },
  "src/identity/projects": {
    noun: "project",
    also: {
      "project-grant.ts": "a second noun",
      "project-grant-commands.ts": "a second noun",
      "project-grant-repository.ts": "a second noun",
      "audience-repository.ts": "the projects that tokens may be for, as an organization has them",
      "role.ts": "a third noun",
      "role-commands.ts": "a third noun",
      "role-repository.ts": "a third noun",
    },
  },
  "src/identity/security-notices": {
    noun: "security-notice",
    without: {
      "rpc.ts": "no rpc shows them",
    },
    also: {
      "notice-mail.ts": "makes the mails",
      "notice-texts.ts": "what they say",
      "notice-texts-de.ts": "the mails in a language",
      "notice-texts-en.ts": "the mails in a language",
      "rounds.ts": "the background that sends them",
    },
  },
  "src/identity/logins/sessions": {
    noun: "session",
    also: {
      "session-link-repository.ts":
        "by which identities elsewhere sessions were begun, which three projections ask",
      "taken-repository.ts": "the queries of what goes with other objects",
    },
  },
  "src/identity/signing-keys": {
    noun: "signing-key",
    also: {
      "certificate.ts": "writes self-signed certificates",
      "jwt.ts": "what the keys are for: signs our tokens, and recognises them",
      "key-pair.ts": "makes a pair of keys",
      "list-repository.ts": "the list of all keys, whatever they sign",
      "saml-key-repository.ts": "a variant",
      "saml-key.ts": "a variant: keys that sign SAML messages, which have rules of their own",
      "saml-keys.ts": "the use cases of the variant",
    },
  },
  "src/identity/tokens-in-force": {
    noun: "token-in-force",
    without: {
      "commands.ts": "it only reads",
      "rpc.ts": "no rpc shows them; access and the endpoints of OAuth decide by them",
    },
  },
  "src/identity/logins/tries": {
    noun: "try",
    without: {
      "commands.ts": "a try is a part of what is tried",
      "rpc.ts": "no rpc shows them",
    },
  },
  "src/identity/user-grants": {
    noun: "user-grant",
    also: {
      "effective-role.ts": "a second noun, which is read only",
      "effective-role-repository.ts": "a second noun, which is read only",
      "grant-rows.ts": "the columns that the repositories share",
      "list-repository.ts": "the lists, which choose among three tables",
      "removal-repository.ts": "what the removal of other objects takes away",
      "role-row-repository.ts": "the table of the roles of grants",
    },
  },
  ...userFeatureShapes,
};
