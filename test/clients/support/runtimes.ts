import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What programs of one kind are run with; each has the folder of its name. */
export type Runtime =
  | "node"
  | "mcp-node"
  | "python"
  | "mcp-python"
  | "go"
  | "oauth2-proxy"
  | "kubelogin"
  | "java"
  | "java-forms"
  | "java-fapi"
  | "debian";

interface Installation {
  /** The files that pin the versions, and the sources that are compiled. None: nothing is installed, and programs run where they are. */
  readonly locks: readonly string[];
  /** The commands that install what they need. */
  readonly install: readonly (readonly string[])[];
  readonly start: (program: string) => readonly string[];
  /** Returns the version of a package, of the files in that folder. */
  readonly findVersion: (wanted: string, folder: string) => string;
}

/** Returns what finds a version in a file, behind a text in which `%` is the name of the package. */
function readFrom(file: string, before: string): Installation["findVersion"] {
  return (wanted, folder) => {
    const [, rest = "none"] = readFileSync(join(folder, file), "utf8").split(before.replace("%", wanted));
    return rest.split(/[\s"<]/, 1)[0] ?? "";
  };
}

const programOfNode: Installation = {
  locks: ["package-lock.json"],
  install: [["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]],
  start: (program) => [process.execPath, program],
  findVersion: readFrom("package.json", '"%": "'),
};

const programOfPython: Installation = {
  locks: ["requirements.txt"],
  install: [
    ["python3", "-m", "venv", "venv"],
    ["venv/bin/pip", "install", "--quiet", "--no-deps", "-r", "requirements.txt"],
  ],
  start: (program) => ["venv/bin/python", program],
  findVersion: readFrom("requirements.txt", "\n%=="),
};

/** A program in Go, which one of ours runs. */
function programOfGo(module: string): Installation {
  return {
    locks: ["go.sum"],
    install: [["go", "build", "-o", "bin/", module]],
    start: (program) => [process.execPath, program],
    findVersion: readFrom("go.mod", "\t% v"),
  };
}

const mavenPackage = ["mvn", "--quiet", "--batch-mode", "package"];

/** A program in Java that needs no framework. */
function programOfJava(source: string): Installation {
  return {
    locks: ["pom.xml", source],
    install: [[...mavenPackage, "dependency:copy-dependencies"]],
    start: (program) => ["java", "-cp", "target/classes:target/dependency/*", program],
    findVersion: readFrom("pom.xml", "<artifactId>%</artifactId><version>"),
  };
}

/** All of them. */
export const runtimes: Readonly<Record<Runtime, Installation>> = {
  node: programOfNode,
  "mcp-node": programOfNode,
  python: programOfPython,
  "mcp-python": programOfPython,
  go: {
    locks: ["go.sum", "program/program.go", "oidc/main.go", "zitadel/main.go", "dex/main.go", "api/main.go"],
    install: [["go", "build", "-o", "bin/", "./..."]],
    start: (program) => [`bin/${program}`],
    findVersion: readFrom("go.mod", "\t% v"),
  },
  "oauth2-proxy": programOfGo("github.com/oauth2-proxy/oauth2-proxy/v7"),
  kubelogin: programOfGo("github.com/int128/kubelogin"),
  java: {
    locks: ["pom.xml", "src/main/java/clients/Application.java", "src/main/java/clients/Resources.java"],
    install: [mavenPackage, [...mavenPackage, "--activate-profiles", "boot-4"]],
    start: (program) => ["java", "-jar", program],
    findVersion: readFrom("pom.xml", "<%>"),
  },
  "java-forms": programOfJava("src/main/java/clients/Forms.java"),
  "java-fapi": programOfJava("src/main/java/clients/Fapi.java"),
  /** What the packages of Debian bring, in the versions that they have. */
  debian: {
    locks: [],
    install: [],
    start: (program) => (program.endsWith(".rb") ? ["ruby", program] : [process.execPath, program]),
    findVersion: (wanted) => {
      const question = ["--show", "--showformat=${Version}", wanted];
      return spawnSync("dpkg-query", question, { encoding: "utf8" }).stdout || "not installed";
    },
  },
};
