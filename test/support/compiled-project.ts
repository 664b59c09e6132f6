import { join } from "node:path";
// The interface of TypeScript 7 to its checker. It may change with any version, so everything that uses it stands in tests.
import { API, type Checker, type Program } from "typescript/unstable/sync";

const root = join(import.meta.dirname, "../..");

/** The sources and tests of the project, as the compiler understands them. */
export interface CompiledProject {
  readonly checker: Checker;
  readonly program: Program;
  /** Ends the compiler, which is a process of its own. */
  close(): void;
}

/** Compiles the project as `tsc` does. Takes about a second. */
export function compileProject(): CompiledProject {
  const api = new API({ cwd: root });
  const [project] = api.updateSnapshot({ openProject: join(root, "tsconfig.json") }).getProjects();
  if (project === undefined) throw new Error("the compiler has found no project");
  return { checker: project.checker, program: project.program, close: () => api.close() };
}

/** Turns a path from the root of the repository into an absolute one, which the compiler knows files by. */
export function toAbsolute(path: string): string {
  return join(root, path);
}
