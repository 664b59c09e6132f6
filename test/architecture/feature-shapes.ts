/** The four files of a noun; the first one is named after it. */
export const roles = ["<noun>.ts", "commands.ts", "repository.ts", "rpc.ts"] as const;

type Role = (typeof roles)[number];

/** A folder of `src/features` that holds a noun. */
export interface FeatureShape {
  readonly noun: string;
  /** Files that are not there, each with the reason. */
  readonly without?: Readonly<Partial<Record<Role, string>>>;
  /** Files beside the four, each with the reason. */
  readonly also?: Readonly<Record<string, string>>;
}

const togetherWithOthers = "the lists of all kinds";

/** Every folder of `src/features` with files in it. A new file that is none of the four needs a reason here. */
export const featureShapes: Readonly<Record<string, FeatureShape>> = {
  "access-tokens": {
    noun: "access-token",
    without: {
      "commands.ts": "the endpoints of OAuth make and revoke them",
      "rpc.ts": "no rpc shows them; access judges by them",
    },
  },
  applications: { noun: "application" },
  "applications/application": {
    noun: "application",
    without: {
      "commands.ts": "what is done to applications of every kind stands in applications/commands.ts",
    },
  },
  "applications/saml": {
    noun: "saml-application",
    also: {
      "assertion-consumer-service.ts": "a part of the metadata with rules of its own",
      "backlog-repository.ts": "the queries of the background: which refreshes are postponed",
      "metadata-fault.ts": "how a broken rule of the metadata is told",
      "metadata-refresh.ts": "the background that fetches metadata again",
      "metadata-schedule.ts": "decides when metadata is fetched again",
      "metadata-source.ts": "the port through which metadata is fetched",
      "metadata.ts": "reads SAML metadata",
      "refresh-repository.ts": "the queries of the background: which refreshes are due",
      "saml-config.ts": "what an application says of itself, shared by decisions, commands and background",
      "xml-document.ts": "reads XML",
      "xml-namespaces.ts": "reads XML",
      "xml-scan.ts": "reads XML",
    },
  },
  events: {
    noun: "event",
    also: {
      "feed.ts": "wakes watches after a commit",
      "hidden-addresses.ts": "decides whose address a caller may see",
      "page-bytes.ts": "bounds a page by its bytes",
      "fair-queue.ts": "lets watches share the time of the process",
      "watch.ts": "the use case that does not end with its call",
    },
  },
  "held-roles": {
    noun: "held-role",
    without: {
      "<noun>.ts": "it is made of memberships, whose noun stands in memberships",
      "commands.ts": "memberships and tokens change it",
      "rpc.ts": "no rpc shows it; access judges by it",
    },
    also: {
      "carried-roles-repository.ts": "the queries by token: what is left out of the roles of its user",
      "instance-owners.ts": "the rule of the last owner, for all who take roles away",
      "outranking.ts": "the rule who may get at whose credentials",
    },
  },
  idempotency: {
    noun: "stored-answer",
    without: { "rpc.ts": "no rpc shows it; conditions use it" },
  },
  "identity-providers": {
    noun: "identity-provider",
    also: { "jwt.ts": "a variant", "oidc.ts": "a variant" },
  },
  instance: {
    noun: "instance",
    without: {
      "<noun>.ts": "there is one, and it has nothing to decide over",
      "rpc.ts": "the command line works with it",
    },
    also: {
      "sealed-secrets.ts": "encrypts all secrets anew when keys are rotated",
      "user-keys.ts": "brings user keys of older versions under those of their organizations",
    },
  },
  memberships: {
    noun: "membership",
    also: {
      "left-out-repository.ts": "the table of roles that tokens do not carry",
      "list-repository.ts": togetherWithOthers,
      "token-judgement.ts": "decides which tokens do not carry a new role",
    },
  },
  organizations: {
    noun: "organization",
    also: { "removal-sweep.ts": "the background that deletes what removed organizations have left" },
  },
  projects: {
    noun: "project",
    also: {
      "project-grant.ts": "a second noun",
      "project-grant-commands.ts": "a second noun",
      "project-grant-repository.ts": "a second noun",
      "role.ts": "a third noun",
      "role-commands.ts": "a third noun",
      "role-repository.ts": "a third noun",
    },
  },
  "signing-keys": {
    noun: "signing-key",
    also: {
      "jwt.ts": "what the keys are for: signs our tokens, and recognises them",
      "key-pair.ts": "makes a pair of keys",
    },
  },
  "user-grants": {
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
  users: {
    noun: "user",
    without: { "<noun>.ts": "each of its nouns has a folder" },
  },
  "users/phones": { noun: "phone" },
  "users/second-factors": {
    noun: "u2f",
    also: { "u2f-registration.ts": "what a browser is given to register, and how its answer is checked" },
  },
  "users/keys": { noun: "key" },
  "users/secrets": { noun: "secret" },
  "users/tokens": { noun: "token" },
  "users/user": { noun: "user", also: { "phone-number.ts": "reads a number as E.164" } },
};
