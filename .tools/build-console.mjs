// Builds the console: dist/console, from src/console. `node .tools/build-console.mjs`
//
// The browser gets nothing but what this makes. Files are compressed here, once and as far as it goes, so that no request waits for it.
// The folder appears as a whole: whoever reads it during a build finds the files of the last one.
// With --optional a build that fails is told and no more: the service runs without the console, and says so at its path.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "src/console");
const output = join(root, "dist/console");
/** What is worth compressing: all that is text. */
const texts = new Set([".css", ".html", ".js", ".svg", ".txt", ".webmanifest"]);
/** A smaller file fits into one packet anyway. */
const minBytes = 1000;

const vite = await loadVite();
// An installation without devDependencies serves what the package has, and one without sources has nothing to build.
if (vite !== undefined && existsSync(source)) {
  try {
    await build();
  } catch (error) {
    if (!process.argv.includes("--optional")) throw error;
    console.error(`the console was not built: ${error.message}`);
  }
}

async function build() {
  generate();
  const made = join(root, `dist/.console-${process.pid}`);
  const former = `${made}-former`;
  try {
    await vite.build({
      configFile: join(source, "vite.config.ts"),
      root: source,
      base: "/console/",
      logLevel: "warn",
      build: {
        outDir: made,
        emptyOutDir: true,
        assetsDir: "assets",
        // The content security policy lets no inline script, style or data run.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        sourcemap: false,
        reportCompressedSize: false,
        manifest: true,
      },
    });
    await writePages(made);
    compressFiles(made);
    mkdirSync(join(root, "dist"), { recursive: true });
    if (existsSync(output)) renameSync(output, former);
    renameSync(made, output);
  } finally {
    for (const folder of [made, former]) rmSync(folder, { recursive: true, force: true });
  }
}

async function loadVite() {
  try {
    return await import("vite");
  } catch (error) {
    if (error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Generates the code of the messages for the browser, if the console has any. */
function generate() {
  const generator = join(root, ".tools/gen-console.mjs");
  if (!existsSync(generator)) return;
  const { status } = spawnSync(process.execPath, [generator], { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error("the messages of the console were not generated");
}

/** Writes which files each page needs besides those that index.html names, for the service to name them with the page. */
async function writePages(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8"));
  rmSync(join(folder, ".vite"), { recursive: true });
  const withImports = (key) => [key, ...(manifest[key].imports ?? []).flatMap(withImports)];
  const ofIndex = new Set(withImports("index.html"));
  const pages = [];
  for (const entry of readdirSync(join(source, "pages"), { recursive: true, encoding: "utf8" })) {
    if (basename(entry) !== "pages.ts") continue;
    const module = await import(join(source, "pages", entry));
    for (const { pattern, load } of Object.values(module).flat()) {
      const [, file] = /import\("([^"]+)"\)/.exec(String(load)) ?? [];
      if (file === undefined) throw new Error(`${entry}: the page ${pattern} imports its code elsewhere`);
      const key = join("pages", dirname(entry), file);
      const keys = new Set(withImports(key).filter((each) => !ofIndex.has(each)));
      pages.push({ pattern, files: [...keys].map((each) => manifest[each].file) });
    }
  }
  const variables = ({ pattern }) => pattern.split(":").length;
  writeFileSync(
    join(folder, "pages.json"),
    JSON.stringify(pages.toSorted((a, b) => variables(a) - variables(b))),
  );
}

function compressFiles(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !texts.has(extname(path))) continue;
    const bytes = readFileSync(path);
    if (bytes.length < minBytes) continue;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
}
