import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "@jest/globals";
import {
  breachOf,
  buildingOf,
  buildingTable,
  circlesOf,
  type Import,
  importsOf,
  importTable,
  type Room,
  roomOf,
  twoWayFoldersOf,
} from "./import-table.ts";
import { readFiles, readSourceFiles } from "./source-files.ts";

const root = join(import.meta.dirname, "../..");
const sources = new Map(readSourceFiles().map(({ path, text }) => [path, text]));
const files = [...sources.keys()];
/** Its settings are for a tool, which asks for a default export. */
const settings = "src/console/vite.config.ts";
/** What the console imports that is no module of TypeScript: the tool that builds it takes styles, too. */
const isStyle = (specifier: string): boolean => specifier.endsWith(".css");
const imports = [...sources].flatMap(([file, source]) => importsOf(file, source));

describe("the sources", () => {
  test("are found", () => {
    expect(files.length > 0).toBe(existsSync(join(root, "src")));
    expect(files.length < 2 || imports.length > 0).toBe(true);
  });

  test("stand in a room of the house", () => {
    expect(files.filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  test("import only what the table allows", () => {
    expect(imports.map((each) => breachOf(each)).filter((breach) => breach !== undefined)).toEqual([]);
  });

  test("import each other without circles", () => {
    expect(circlesOf(imports).map((circle) => circle.join(" -> "))).toEqual([]);
  });

  test("import between folders one way", () => {
    expect(twoWayFoldersOf(imports)).toEqual([]);
  });

  test("import files with the ending .ts, and only files that exist", () => {
    const wrong = imports.filter(
      ({ isRelative, specifier, target }) =>
        isRelative &&
        !isStyle(specifier) &&
        !(/\.tsx?$/.test(specifier) && (existsSync(join(root, target)) || target.startsWith("gen/console/"))),
    );
    expect(wrong.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });

  // The console is built into files that hold what they need, so its packages are not installed with the service.
  test("import only Node and the packages in dependencies, the console also those that it is built with", () => {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8"),
    );
    const ofConsole = { ...dependencies, ...devDependencies };
    const ofTraces = { ...dependencies, ...peerDependencies }; // optional: loaded if traces are asked for
    const among = (file: string) =>
      file.startsWith("src/console/")
        ? ofConsole
        : file.startsWith("src/app/tracing/")
          ? ofTraces
          : dependencies;
    const mayImport = (file: string, name: string) => Object.hasOwn(among(file), name);
    const foreign = imports.filter(
      ({ file, isRelative, specifier }) =>
        !isRelative && !specifier.startsWith("node:") && !mayImport(file, packageOf(specifier)),
    );
    expect(foreign.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });

  test("load every package in dependencies, without what the console loads", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const generated = readFiles("gen", [".ts"]).flatMap(({ path, text }) => importsOf(path, text));
    const loaded = new Set(
      [...imports, ...generated]
        .filter(({ file, isTypeOnly }) => !isTypeOnly && !file.startsWith("src/console/"))
        .map(({ specifier }) => packageOf(specifier)),
    );
    expect(Object.keys(dependencies).filter((name) => !loaded.has(name))).toEqual([]);
  });

  test("have no default exports", () => {
    const pattern = /^export\s+default\b|^export\s*\{[^}]*\bas\s+default\b/m;
    const found = [...sources].filter(([, source]) => pattern.test(source)).map(([file]) => file);
    expect(found).toEqual([settings]);
  });

  test("have kebab-case names, and none is an index file", () => {
    const wrong = files.filter((file) => {
      if (file === settings) return false; // the name that the tool looks for
      const segments = file.split("/");
      const name = posix.basename(file).replace(/\.tsx?$/, "");
      return (
        name === "index" ||
        ![...segments.slice(0, -1), name].every((each) => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(each))
      );
    });
    expect(wrong).toEqual([]);
  });
});

describe("the table", () => {
  test.each([
    ["src/kernel/base/ids.ts", "src/kernel/events/log.ts"],
    ["src/config/options.ts", "src/kernel/events/log.ts"],
    ["src/kernel/events/log.ts", "src/identity/user-service/user.ts"],
    ["src/kernel/events/log.ts", "gen/gatehouse/v1/user_pb.ts"],
    ["src/identity/user-service/rpc.ts", "src/config/options.ts"],
    ["src/identity/user-service/rpc.ts", "src/kernel/storage/database.ts"],
    ["src/identity/user-service/user.ts", "gen/gatehouse/v1/user_pb.ts"],
    ["src/identity/user-service/commands.ts", "src/identity/access/authorization.ts"],
    ["src/identity/access/access-control.ts", "src/sites/rpc/calls/pipeline.ts"],
    ["src/identity/user-service/commands.ts", "src/identity/projects/rpc.ts"],
    ["src/kernel/outbound/fetch.ts", "src/config/options.ts"],
    ["src/kernel/storage/sqlite/database.ts", "src/identity/user-service/user.ts"],
    ["src/kernel/storage/sqlite/database.ts", "src/config/options.ts"],
    ["src/kernel/http/listener.ts", "src/kernel/storage/database.ts"],
    ["src/kernel/http/listener.ts", "src/config/options.ts"],
    ["src/app/app.ts", "src/cli/serve.ts"],
    ["src/cli/serve.ts", "src/kernel/http/listener.ts"],
    ["src/cli/serve.ts", "gen/gatehouse/v1/user_pb.ts"],
    ["src/app/installation.ts", "src/kernel/http/listener.ts"],
    ["src/app/installation.ts", "src/app/services.ts"],
    ["src/cli/doctor.ts", "src/app/services.ts"],
    ["src/main.ts", "src/app/app.ts"],
    ["src/kernel/base/ids.ts", "test/support/clock.ts"],
    ["src/kernel/base/ids.ts", "src/server.ts"],
    ["src/app/installation.ts", "src/kernel/storage/sqlite/database.ts"],
    ["src/cli/doctor.ts", "src/kernel/storage/postgres/database.ts"],
  ])("refuses that %s imports %s", (file, target) => {
    expect(breachOf(importBetween(file, target))).toBeDefined();
  });

  test.each([
    ["src/kernel/base/problem.ts", "src/kernel/base/reason.ts"],
    ["src/identity/user-service/rpc.ts", "gen/gatehouse/v1/user_pb.ts"],
    ["src/identity/messages.ts", "gen/gatehouse/v1/object_pb.ts"],
    ["src/identity/user-service/rpc.ts", "src/identity/messages.ts"],
    ["src/identity/user-service/commands.ts", "src/identity/projects/repository.ts"],
    ["src/identity/user-service/rpc.ts", "src/identity/projects/rpc.ts"],
    ["src/identity/user-service/commands.ts", "src/identity/user-service/user.ts"],
    ["src/identity/access/authorization.ts", "src/identity/people/user/repository.ts"],
    ["src/sites/rpc/calls/pipeline.ts", "src/identity/access/access-control.ts"],
    ["src/kernel/storage/sqlite/database.ts", "src/kernel/events/log.ts"],
    ["src/app/app.ts", "src/kernel/storage/places/place-of.ts"],
    ["src/kernel/storage/places/folder-place.ts", "src/kernel/storage/sqlite/database.ts"],
    ["src/main.ts", "src/cli/serve.ts"],
  ])("allows that %s imports %s", (file, target) => {
    expect(breachOf(importBetween(file, target))).toBeUndefined();
  });

  test("allows types of another feature", () => {
    const [each] = importsOf(
      "src/identity/user-service/user.ts",
      'import type { ProjectId } from "../projects/project.ts";',
    );
    expect(each).toMatchObject({ isTypeOnly: true, target: "src/identity/projects/project.ts" });
    expect(breachOf(each as Import)).toBeUndefined();
  });

  test("lets the kernel import nothing above it, identity only the kernel, and a site no other site but login", () => {
    const breaches = Object.entries(importTable).flatMap(([name, targets]) => {
      const room = name as Room; // a key of the table
      const building = buildingOf(room);
      const isAllowed = (target: Room) => {
        const there = buildingOf(target);
        const isInside = there === building && building !== "sites";
        return (
          isInside ||
          buildingTable[building].some((each) => each === target || (each === there && each !== building))
        );
      };
      return targets.filter((target) => !isAllowed(target)).map((target) => `${room} -> ${target}`);
    });
    expect(breaches).toEqual([]);
  });

  test("runs one way between rooms", () => {
    const between = Object.entries(importTable).flatMap(([room, targets]) =>
      targets.map((target: Room) => importBetween(room, target)),
    );
    expect(circlesOf(between)).toEqual([]);
  });
});

describe("the reader", () => {
  test("sees every form of import", () => {
    const source = [
      'import "./a.ts";',
      'import { b } from "./b.ts";',
      "import {",
      "  c,",
      "  type C,",
      '} from "./c.ts";',
      'import type { D } from "./d.ts";',
      'import * as e from "./e.ts";',
      'export { f } from "./f.ts";',
      'export type { G } from "./g.ts";',
      'export * from "./h.ts";',
      'const i = await import("./i.ts");',
      '// import { x } from "./comment.ts";',
      '/* \n import { x } from "./comment.ts";\n*/',
    ].join("\n");
    const found = importsOf("src/kernel/base/x.ts", source).map(({ target, isTypeOnly }) => [
      posix.basename(target, ".ts"),
      isTypeOnly,
    ]);
    expect(new Map(found as [string, boolean][])).toEqual(
      new Map([
        ["a", false],
        ["b", false],
        ["c", false],
        ["d", true],
        ["e", false],
        ["f", false],
        ["g", true],
        ["h", false],
        ["i", false],
      ]),
    );
  });

  test("finds a circle over several files", () => {
    const circle = ["a", "b", "c"].map((name, index, all) =>
      importBetween(name, all[(index + 1) % all.length] ?? ""),
    );
    expect(circlesOf([importBetween("z", "a"), ...circle])).toEqual([["a", "b", "c", "a"]]);
  });
});

describe("two folders that import each other", () => {
  const found = (...arrows: readonly (readonly [file: string, target: string])[]) =>
    twoWayFoldersOf(arrows.map(([file, target]) => importBetween(file, target)));

  test("are found by files that do not", () => {
    expect(found(["src/a/b/1.ts", "src/a/c/2.ts"], ["src/a/c/3.ts", "src/a/b/4.ts"])).toEqual([
      "src/a/b <-> src/a/c",
    ]);
  });

  test("are found when one lies in the other", () => {
    expect(found(["src/a/1.ts", "src/a/b/2.ts"], ["src/a/b/3.ts", "src/a/4.ts"])).toEqual([
      "src/a <-> src/a/b",
    ]);
  });

  test("are found by the folders inside them", () => {
    expect(found(["src/a/b/1.ts", "src/c/d/2.ts"], ["src/c/e/3.ts", "src/a/4.ts"])).toEqual([
      "src/a <-> src/c",
    ]);
  });

  test("are none when the imports run one way or stay in a folder", () => {
    expect(
      found(["src/a/1.ts", "src/b/2.ts"], ["src/a/c/3.ts", "src/b/4.ts"], ["src/a/5.ts", "src/a/6.ts"]),
    ).toEqual([]);
    expect(found(["src/main.ts", "src/cli/run.ts"], ["src/cli/serve.ts", "src/app/app.ts"])).toEqual([]);
  });
});

function importBetween(file: string, target: string): Import {
  return { file, target, specifier: `./${target}`, isRelative: true, isTypeOnly: false, isDynamic: false };
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
