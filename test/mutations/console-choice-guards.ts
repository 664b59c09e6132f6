import type { Guard } from "./guards.ts";

const findObject = "src/console/ui/names/find-object.ts";
const finding = "test/console/find-object.test.ts";

/** What keeps the console to the object that its user has chosen, in the state in which they saw it, and to one change a press. */
export const consoleChoiceGuards: readonly Guard[] = [
  {
    name: "console choice: a user is found by the id before another's username",
    file: findObject,
    changes: [["if (user !== undefined) return toNamed(user);", ";"]],
    in: finding,
    test: "finds the user",
  },
  {
    name: "console choice: a text that is the email of one and the username of another finds neither",
    file: findObject,
    changes: [["user !== undefined && found.size === 1 ?", "user !== undefined ?"]],
    in: finding,
    test: "no user is found",
  },
  {
    name: "console choice: an id that nobody may read is no username",
    file: findObject,
    changes: [["text.length >= digitsOfIds", "text.length >= 1000"]],
    in: finding,
    test: "may not be read",
  },
  {
    name: "console choice: an id of a selected user is no username",
    file: findObject,
    changes: [[" || given.includes(wanted)", ""]],
    in: finding,
    test: "never a username",
  },
  {
    name: "console choice: a restored form names its scope, not a place in a list",
    file: "src/console/pages/memberships/scope-choice.ts",
    changes: [["choices.find(({ scope }) => keyOfScope(scope) === key)", "choices[0]"]],
    in: "test/console/memberships.test.ts",
    test: "stays that one",
  },
  {
    name: "console choice: several objects are removed only as they were read",
    file: "src/console/ui/batch-removal.ts",
    changes: [["...itemIfUnchanged(item.details), ", ""]],
    in: "test/console/several-users.test.ts",
    test: "removed each only as it was read",
  },
  {
    name: "console choice: another secret in place of a lost one is made once",
    file: "src/console/pages/credentials/shared/replace-lost.ts",
    changes: [["await add(key.current)", "await add(crypto.randomUUID())"]],
    in: "test/console/credentials.test.ts",
    test: "under one key",
  },
];
