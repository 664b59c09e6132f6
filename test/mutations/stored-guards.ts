import type { Guard } from "./guards.ts";

const applications = "test/identity/applications/oauth/commands.test.ts";
const providers = "test/identity/providers/life.test.ts";
const overRest = "test/api/lives-applications.test.ts";
const trusted = "guards the project, and the organization";

/** What keeps callers from changing a stored value so that they act with the trust of those who set it, or learn a secret. */
export const storedGuards: readonly Guard[] = [
  {
    name: "api_access: every setting of an application that has it decides who gets its tokens",
    file: "src/identity/applications/oidc/oidc-application.ts",
    change: ["return !isUntouched || (after.apiAccess", "return (after.apiAccess"],
    in: applications,
    test: "is set by nobody but",
  },
  {
    name: "api_access: nobody takes it away and changes something else with it",
    file: "src/identity/applications/oidc/oidc-application.ts",
    change: [
      "if (!before.apiAccess && !after.apiAccess) return false;",
      "if (!after.apiAccess) return false;",
    ],
    in: applications,
    test: "is set by nobody but",
  },
  {
    name: "api_access: it is set for the whole instance only",
    file: "src/identity/api-access/api-access.ts",
    change: [
      'if (holdsOnInstance(call.caller.held, "project.app.write")) return;\n  throw',
      "if (call !== undefined) return;\n  throw",
    ],
    in: applications,
    test: "is set by nobody but",
  },
  {
    name: "api_access: a secret is as good as the application",
    file: "src/identity/applications/oauth/commands.ts",
    change: ["if (application.apiAccess) await requireForApiAccess(command);", ""],
    in: applications,
    test: "nobody else makes its secret",
  },
  {
    name: "api_access: a key is as good as the application",
    file: "src/identity/applications/keys/commands.ts",
    change: ["if (application.apiAccess) await requireForApiAccess(command);", ""],
    in: applications,
    test: "nobody else adds a key",
  },
  {
    name: "api_access: what pages call the application is not its owner's to choose",
    file: "src/identity/applications/commands.ts",
    change: [
      "        await requireTrusted(application, command);\n        const { projectId",
      "        const { projectId",
    ],
    in: applications,
    test: "nobody else renames it",
  },
  {
    name: "api_access: an application that was stopped stays so",
    file: "src/identity/applications/commands.ts",
    change: ["if (events.length > 0) await requireTrusted(application, command);", ""],
    in: applications,
    test: "nobody else reactivates it",
  },
  {
    name: "api_access: its project decides who may log in",
    file: "src/identity/projects/commands.ts",
    change: [
      "        await requireForApiAccessIn(command, { projectId: project.id });\n        if",
      "        if",
    ],
    in: applications,
    test: trusted,
  },
  {
    name: "api_access: a project that was stopped stays so",
    file: "src/identity/projects/commands.ts",
    change: ["if (events.length > 0) await requireForApiAccessIn(command, { projectId: project.id });", ""],
    in: applications,
    test: trusted,
  },
  {
    name: "api_access: an organization that was stopped stays so",
    file: "src/identity/organizations/commands.ts",
    change: [
      "if (events.length > 0) await requireForApiAccessIn(",
      "if (events.length < 0) await requireForApiAccessIn(",
    ],
    in: applications,
    test: trusted,
  },
  {
    name: "identity providers: a stored secret is sent to no other issuer",
    file: "src/identity/providers/commands.ts",
    change: ["if (isOfOtherIssuer) throw clientSecretNeeded();", ""],
    in: providers,
    test: "sends the stored client secret to no other issuer",
  },
  {
    name: "identity providers: whether a secret is the stored one is not told to those who send it elsewhere",
    file: "src/identity/providers/commands.ts",
    change: ["return !isOfOtherIssuer && (await", "return (await"],
    in: providers,
    test: "sends the stored client secret to no other issuer",
  },
  {
    name: "identity providers: a private host is refused when it is stored",
    file: "src/identity/providers/rpc.ts",
    change: ["if (violation !== undefined) throw urlForbidden(field, violation);", ""],
    in: overRest,
    test: "is refused by every call that sets the URL",
  },
  {
    name: "stored values: a field of an application stands in the table",
    file: "src/identity/access/stored-values/applications.ts",
    change: ['"redirect_uris",', ""],
    in: "test/api/stored-values.sized.test.ts",
    test: "UpdateOidcConfig is in the table",
  },
  {
    name: "stored values: a call that removes stands in one of the tables",
    file: "src/identity/access/stored-values/harmless.ts",
    change: ['"RemoveProjectRole"', '"RemoveProject"'],
    in: "test/api/stored-values.sized.test.ts",
    test: "RemoveProjectRole is in the table",
  },
];
