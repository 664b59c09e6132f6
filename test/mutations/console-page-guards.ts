import type { Guard } from "./guards.ts";

const signIn = "test/console/sign-in.test.ts";
const decisions = "src/console/session/sign-in.ts";
const csv = "src/console/ui/list/csv.ts";

/** What keeps the application of the console to logins that it began, and its files harmless. */
export const consolePageGuards: readonly Guard[] = [
  {
    name: "console page: an answer has the state of the attempt",
    file: decisions,
    changes: [['answer.get("state") !== attempt.state ||', ""]],
    in: signIn,
    test: "it has another state",
  },
  {
    name: "console page: an answer is from our issuer",
    file: decisions,
    changes: [[' || answer.get("iss") !== issuer', ""]],
    in: signIn,
    test: "from another issuer",
  },
  {
    name: "console page: an ID token has the nonce of the attempt",
    file: decisions,
    changes: [['claims["nonce"] === expected.nonce &&', ""]],
    in: signIn,
    test: "another nonce",
  },
  {
    name: "console page: an ID token is for the console",
    file: decisions,
    changes: [["audience.includes(expected.clientId)", "true"]],
    in: signIn,
    test: "another audience",
  },
  {
    name: "console page: an attempt is good for one answer",
    file: "src/console/session/tab-store.ts",
    changes: [["      storage.removeItem(attemptName);\n", ""]],
    in: "test/console/tab-store.test.ts",
    test: "gives an attempt once",
  },
  {
    name: "console page: drafts are forgotten with the user",
    file: "src/console/session/tab-store.ts",
    changes: [["if (name.startsWith(draftPrefix)) storage.removeItem(name);", ";"]],
    in: "test/console/tab-store.test.ts",
    test: "forgets drafts",
  },
  {
    name: "console page: drafts of one person are not for the next",
    file: "src/console/session/tab-store.ts",
    changes: [["if (last === null || last === person) return true;", "if (last !== undefined) return true;"]],
    in: "test/console/tab-store.test.ts",
    test: "has nothing of one person for the next",
  },
  {
    name: "console page: a page of the last person keeps no draft for the next",
    file: "src/console/ui/form/drafts.ts",
    changes: [["if (personOfTab() === person) ", ""]],
    in: "test/console/drafts.test.ts",
    test: "is not kept for another person",
  },
  {
    name: "console page: secrets are not kept in drafts",
    file: "src/console/ui/form/drafts.ts",
    changes: [["!secrets.includes(name)", "name !== undefined"]],
    in: "test/console/drafts.test.ts",
    test: "without the secrets",
  },
  {
    name: "console page: a file of a list holds no formula",
    file: csv,
    changes: [["? text : disarm(text)", "? text : text"]],
    in: "test/console/lists.test.ts",
    test: "no spreadsheet",
  },
  {
    name: "console page: a file of a list holds no formula behind a semicolon",
    file: csv,
    changes: [["(^|[;\\t\\r\\n])(?=[ ", "(^)(?=[ "]],
    in: "test/console/lists.test.ts",
    test: "behind another separator",
  },
  {
    name: "console page: a permission on one organization is none on another",
    file: "src/console/api/permissions.ts",
    changes: [['(scope.case === "instance" || scope.value === id) &&', "true &&"]],
    in: "test/console/permissions.test.ts",
    test: "holds there",
  },
  {
    name: "console page: a permission on a project is held somewhere in its organization only",
    file: "src/console/api/permissions.ts",
    changes: [["|| resourceOwner === organization) &&", "|| resourceOwner !== undefined) &&"]],
    in: "test/console/permissions.test.ts",
    test: "somewhere in an organization",
  },
];
