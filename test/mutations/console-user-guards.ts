import type { Guard } from "./guards.ts";

const items = "src/console/pages/users/bulk/batch-items.ts";
const several = "test/console/several-users.test.ts";

/** What keeps the console's pages of users from doing more than they were told. */
export const consoleUserGuards: readonly Guard[] = [
  {
    name: "console users: a dry run that was none is said",
    file: "src/console/api/call-options.ts",
    changes: [
      [' || answer.header.get("x-service-validated-only") === "true"', " || answer.header !== undefined"],
    ],
    in: "test/console/calls.test.ts",
    test: "fails when the answer says",
  },
  {
    name: "console users: every dry run is looked at",
    file: "src/console/api/transport.ts",
    changes: [["interceptors: [authorize, checkDryRun]", "interceptors: [authorize]"]],
    in: "test/console/calls.test.ts",
    test: "never by a page that is looked at",
  },
  {
    name: "console users: several are changed only as they were read",
    file: "src/console/api/item-condition.ts",
    changes: [['return details === undefined ? {} : { ifMatch: `"${details.sequence}"` };', "return {};"]],
    in: several,
    test: "changed each only as it was read",
  },
  {
    name: "console users: a change of several leaves out those whose state does not allow it",
    file: items,
    changes: [["users.filter(({ state }) => state === changes[change].from)", "[...users]"]],
    in: several,
    test: "only those whose state allows it",
  },
];
