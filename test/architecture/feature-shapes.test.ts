import { posix } from "node:path";
import { expect, test } from "@jest/globals";
import { roomOf } from "./import-table.ts";
import { readSourceFiles } from "./source-files.ts";

/** Features that people administer without one of the files, each with the reason. */
const without: Readonly<Record<string, string>> = {
  "src/identity/applications/application/commands.ts":
    "what is done to applications of every kind stands in applications/commands.ts",
  "src/identity/group-service/repository.ts":
    "groups, their members and the grants to them stand in groups and group-grants",
  "src/identity/hooks/<noun>.ts": "hooks stand in hooks/hook",
  "src/identity/hooks/repository.ts": "likewise",
  "src/identity/people/additions/repository.ts":
    "what it adds is read by user, passwords, emails and invitations",
  "src/identity/people/refresh-tokens/repository.ts": "its queries stand in logins/authorizations",
  "src/identity/targets/repository.ts":
    "targets and their places stand in targets/target and targets/positions",
};

const folders = Map.groupBy(
  readSourceFiles().filter(({ path }) => roomOf(path) === "features"),
  ({ path }) => posix.dirname(path),
);

// That SQL stands in repositories alone is what sql.test.ts looks after, and imports.test.ts that `gen/` is for rpc.ts alone.
test("a feature that people administer has a file for each role: its noun, commands, repository and rpc", () => {
  const administered = [...folders].filter(
    ([folder, files]) => folder !== "src/identity" && files.some(({ path }) => path === `${folder}/rpc.ts`),
  );
  expect(administered.length).toBeGreaterThan(20);
  const missing = administered.flatMap(([folder, files]) => {
    const paths = files.map(({ path }) => path);
    const isNoun = (path: string) => !/(?:commands|repository|rpc)\.ts$/.test(path);
    const needed = ["commands.ts", "repository.ts"].map((name) => `${folder}/${name}`);
    return needed
      .filter((path) => !paths.includes(path))
      .concat(paths.some(isNoun) ? [] : [`${folder}/<noun>.ts`]);
  });
  expect(missing.toSorted()).toEqual(Object.keys(without));
});
