import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** A block of code of a page. */
export interface Block {
  /** The first word behind the backticks; empty: none. */
  readonly language: string;
  /** The second word: `stays` for a command that goes on until it is stopped, a name of `elsewhere`, or of the file to save it as. */
  readonly name: string;
  readonly code: string;
  /** What the page says that it prints: the block with the language `text` that follows at once. */
  readonly printed: string | undefined;
}

/** Lists README.md and the pages below docs. */
export function listPages(): readonly string[] {
  const files = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const pages = files.filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`);
  return ["README.md", ...pages.toSorted()];
}

/** Reads a page by its path from the root of the repository. */
export function readPage(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

const blockPattern =
  /^```(?<language>[\w-]*)(?: (?<name>\S+))?\n(?<code>[^]*?)^```\n(?:\n```text\n(?<printed>[^]*?)```)?/gm;

/** Returns the blocks of a page in their order. What a block prints belongs to that block. */
export function readBlocks(page: string): readonly Block[] {
  return [...readPage(page).matchAll(blockPattern)].map(({ groups }) => ({
    language: groups?.["language"] ?? "",
    name: groups?.["name"] ?? "",
    code: groups?.["code"] ?? "",
    printed: groups?.["printed"],
  }));
}

/** Returns the blocks of that name on a page. */
export function readNamed(page: string, name: string): readonly string[] {
  return readBlocks(page).flatMap((block) => (block.name === name ? [block.code] : []));
}

/** Names of shell blocks that the tests of pages do not run, each with the test that does, or the reason why none can. */
export const elsewhere: Readonly<Record<string, string>> = {
  checkout: "is what runs all tests",
  cluster: "test/postgres/faults/page.test.ts",
  production: "test/pages/operate.test.ts",
  package: "test/process/package.test.ts",
  image: "test/container/container.test.ts",
  systemd: "test/container/systemd.test.ts",
  descriptors: "test/process/generate-client.test.ts",
  typescript: "test/process/generate-client.test.ts",
  go: "needs Go, protoc and the network",
  java: "needs protoc and a plugin for Java",
  python: "needs grpcio-tools for Python",
  emulator: "test/process/emulator.test.ts",
  import: "test/process/import.test.ts",
  apply: "test/process/apply.test.ts",
  export: "needs Keycloak, or an account at Auth0 or Firebase",
  mcp: "test/clients/main.ts",
  kubelogin: "needs kubectl and a cluster",
};
