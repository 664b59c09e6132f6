import { expect, test } from "@jest/globals";
import { importsOf } from "./import-table.ts";
import { readSourceFiles } from "./source-files.ts";

const sources = new Map(readSourceFiles().map(({ path, text }) => [path, text]));

/** What a start loads by dynamic imports. */
const entries = [
  "src/main.ts",
  "src/cli/run.ts",
  "src/cli/serve.ts",
  "src/app/app.ts",
  "src/app/services.ts",
  "src/kernel/storage/places/folder-place.ts",
  "src/kernel/storage/places/database-place.ts",
];

/** Returns the files and packages that are loaded before the port is open. */
function listLoaded(): ReadonlySet<string> {
  const loaded = new Set(entries);
  for (const file of loaded)
    for (const { target, isTypeOnly, isDynamic } of importsOf(file, sources.get(file) ?? ""))
      if (!isTypeOnly && !isDynamic) loaded.add(target);
  return loaded;
}

test("a start loads, of SAML, only what finds a path and what ends sessions at pages of ours", () => {
  const loaded = listLoaded();
  expect([...loaded]).toEqual(
    expect.arrayContaining(["src/app/installation.ts", "src/sites/login/flow/sites.ts", "pino"]),
  );
  expect([...loaded].filter((file) => file.startsWith("src/sites/saml/")).toSorted()).toEqual([
    "src/sites/saml/bindings/saml-fault.ts",
    "src/sites/saml/logout/list-members.ts",
    "src/sites/saml/logout/logout-store.ts",
    "src/sites/saml/logout/page-logouts.ts",
    "src/sites/saml/parties/paths.ts",
    "src/sites/saml/parties/service-providers.ts",
    "src/sites/saml/receiving/page-of-fault.ts",
    "src/sites/saml/receiving/refusal-limit.ts",
    "src/sites/saml/saml.ts",
    "src/sites/saml/sites.ts",
  ]);
});
