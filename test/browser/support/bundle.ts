import { build } from "esbuild";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** Returns the script of the test page for a browser, with every service of the generated code. Nothing is written. */
export async function bundlePage(): Promise<string> {
  const modules = readdirSync(join(root, "gen/gatehouse/v1")).filter((file) =>
    file.endsWith("_service_pb.ts"),
  );
  const lines = [
    'import { startPage } from "./test/browser/page/main.ts";',
    ...modules.map((file, index) => `import * as module${index} from "./gen/gatehouse/v1/${file}";`),
    `startPage([${modules.map((_file, index) => `module${index}`).join(", ")}]);`,
  ];
  const { outputFiles } = await build({
    stdin: { contents: lines.join("\n"), resolveDir: root, sourcefile: "page.ts", loader: "ts" },
    bundle: true,
    write: false,
    platform: "browser",
    format: "iife",
    target: "es2024",
    logLevel: "silent",
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error("esbuild made no file");
  return script.text;
}
