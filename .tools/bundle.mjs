// Bundles what is published with esbuild: the service with everything that it needs, but for the packages of `installed`, and the
// client and the messages, which programs import.
//
// Files stay separate where the sources load them late (`import()`), and code keeps its names and lines, so that traces of errors
// can be read.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { build } from "esbuild";

/** Packages that are installed beside the service: they have binaries for each platform. */
const besideService = ["@node-rs/argon2", "better-sqlite3"];
/** Packages for traces, which are optional: they are loaded if traces are asked for. */
const forTraces = ["exporter-trace-otlp-proto", "resources", "sdk-trace"].map(
  (name) => `@opentelemetry/${name}`,
);
/** Packages whose types the client and the messages have in theirs, so that a program and they must share them. */
const besideClient = ["@bufbuild/protobuf", "@connectrpc/connect", "jose"];

/** The packages that npm installs with this one. */
export const installed = [...besideService, ...besideClient].toSorted();

/** Some bundled packages are CommonJS, and require modules of Node. */
const requireOfNode = `import { createRequire as createRequireOfNode } from "node:module";
const require = createRequireOfNode(import.meta.url);`;

/** How both are bundled. The oldest Node that the package runs on is 22. */
const settings = {
  bundle: true,
  splitting: true,
  format: "esm",
  legalComments: "none", // the licenses are in a file of their own
  logLevel: "warning",
  metafile: true,
  target: "node22",
};

/**
 * Bundles the service, the client and the messages into the folder, and the licenses of what they contain into `licenses.txt`.
 *
 * @param {string} root where the sources are
 * @param {string} output
 */
export async function bundle(root, output) {
  const src = join(root, "src");
  const service = await build({
    ...settings,
    platform: "node",
    entryPoints: [join(src, "main.ts"), join(src, "identity/people/passwords/hash-worker.ts")],
    outbase: src,
    outdir: join(output, "src"),
    external: [...besideService, ...forTraces, "pg-native"],
    banner: { js: requireOfNode },
    plugins: [keepPlaces(src), loadLittleOfNode()],
  });
  const client = await build({
    ...settings,
    platform: "neutral",
    mainFields: ["module", "main"],
    entryPoints: [
      join(src, "client/client.ts"),
      join(root, "gen/gatehouse/v1/*_pb.ts"),
      join(root, "gen/gatehouse/emulator/v1/*_pb.ts"),
    ],
    outbase: root,
    outdir: output,
    chunkNames: "gen/[name]-[hash]",
    external: [...besideClient, "node:*"],
  });
  const inputs = [service, client].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(output, "licenses.txt"), collectLicenses(root, inputs));
}

/**
 * Lets each source find the files beside it: the bundles are in one folder, and the files (migrations, styles) below it, where the
 * sources were.
 */
function keepPlaces(src) {
  return {
    name: "keep-places",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!path.startsWith(src + sep)) return undefined;
        const place = relative(src, path).split(sep).join(posix.sep);
        const contents = readFileSync(path, "utf8")
          // esbuild then sees what is required, and bundles it.
          .replace("const require = createRequire(import.meta.url);\n", "")
          .replaceAll("import.meta.dirname", folderOf(posix.dirname(place)))
          .replaceAll("import.meta.url", urlOf(place.replace(/\.ts$/, ".js")));
        return { contents, loader: "ts" };
      });
    },
  };
}

/**
 * Takes modules of Node without the facade that an `import` of them gets. The facade reads every export once (Node 22.23 to 26.10), and
 * that of `node:http` has some that load undici: 40 ms of processor time and 12 MB, for a client that only few need. It can go with
 * https://github.com/nodejs/node/issues/59686.
 */
function loadLittleOfNode() {
  return {
    name: "load-little-of-node",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^(?:node:)?(?:crypto|http)$/ }, ({ path, kind }) =>
        kind === "import-statement" ? { path: path.replace(/^node:/, ""), namespace: "node" } : undefined,
      );
      onLoad({ filter: /^/, namespace: "node" }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule("node:${path}");`,
      }));
    },
  };
}

const folderOf = (folder) =>
  folder === "." ? "import.meta.dirname" : `(import.meta.dirname + ${JSON.stringify(`/${folder}`)})`;

const urlOf = (place) => `new URL(${JSON.stringify(place)}, import.meta.url).href`;

/** The license of each package that the bundles have code of, in order of their names. */
function collectLicenses(root, inputs) {
  const folders = new Set(
    inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []),
  );
  const texts = [...folders]
    .toSorted((one, other) => one.localeCompare(other, "en"))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      return `${name} ${version} (${license})\n${readLicense(join(root, folder))}`;
    });
  return `The files beside this one contain code of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n`)}`;
}

function readLicense(folder) {
  const file = readdirSync(folder).find((name) => /^(?:licen[cs]e|copying)/i.test(name));
  return file === undefined ? "" : `${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
