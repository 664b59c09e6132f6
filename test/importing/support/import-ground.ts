import { afterAll } from "@jest/globals";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OrganizationId } from "../../../src/kernel/base/ids.ts";
import { createHashReader } from "../../../src/importing/hashes.ts";
import { runImport } from "../../../src/importing/run.ts";
import type { Source } from "../../../src/importing/records.ts";
import { type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { testPasswordCost } from "../../support/password-cost.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

/** What a run has printed, and whether all of it came. `error`: why nothing was done. */
export interface Printed {
  readonly lines: readonly string[];
  readonly isWhole?: boolean;
  readonly error?: string;
}

type Options = Partial<Record<"isApplied" | "isPartial" | "isQuiet" | "allowSlowHashes", boolean>>;

/** A database, and files to import into it. */
export interface ImportGround {
  readonly fixture: FeatureFixture;
  /** Writes files, and returns their paths. */
  write(files: Readonly<Record<string, string | Buffer>>): readonly string[];
  /** Runs an import into the organization. */
  run(organizationId: OrganizationId, source: Source, options?: Options): Promise<Printed>;
  /** Does the same, and adds everything that has no fault. */
  apply(organizationId: OrganizationId, source: Source): Promise<Printed>;
  /** Returns the rows of a statement. */
  rows<Row>(sql: string, ...parameters: readonly string[]): Promise<readonly Row[]>;
}

/** Opens the ground of the tests of a file. */
export async function openImportGround(): Promise<ImportGround> {
  const fixture = await openFeatureFixture();
  const folder = makeTemporaryFolder();
  afterAll(async () => {
    await fixture.close();
    folder.remove();
  });
  const { context, database } = fixture;
  const run: ImportGround["run"] = async (organizationId, source, options = {}) => {
    const lines: string[] = [];
    try {
      const isWhole = await runImport({
        context,
        source,
        organizationId,
        isApplied: false,
        isPartial: false,
        isQuiet: false,
        hashes: createHashReader({ allowSlowHashes: false, cost: testPasswordCost }),
        print: async (text) => void lines.push(...text.split("\n")),
        ...options,
      });
      return { lines, isWhole };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { lines, error: error.message };
    }
  };
  let folders = 0;
  return {
    fixture,
    write(files) {
      const path = makeFolder(folder.path, String(++folders));
      return Object.entries(files).map(([name, content]) => {
        writeFileSync(join(path, name), content);
        return join(path, name);
      });
    },
    run,
    apply: (organizationId, source) => run(organizationId, source, { isApplied: true, isPartial: true }),
    rows: (sql, ...parameters) => database.read((tx) => tx.all(sql, parameters)),
  };
}

function makeFolder(parent: string, name: string): string {
  const path = join(parent, name);
  mkdirSync(path);
  return path;
}
