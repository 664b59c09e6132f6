import { defineConfig, type Plugin } from "vite";

/**
 * Leaves out how messages are read and written as JSON: the console speaks binary gRPC-web alone, but Connect 2.2
 * (https://github.com/connectrpc/connect-es, protocol/serialization.ts) imports both for either. It is a sixth of what a page begins
 * with. To be deleted when Connect imports JSON only where it is used.
 */
const withoutJson: Plugin = {
  name: "without-json",
  load(id) {
    if (!/@bufbuild\/protobuf\/dist\/esm\/(?:from|to)-json\.js$/.test(id)) return null;
    const names = id.endsWith("to-json.js")
      ? ["toJson", "toJsonString", "enumToJson"]
      : ["fromJson", "fromJsonString", "mergeFromJson", "mergeFromJsonString", "enumFromJson", "isEnumJson"];
    const refuse = "() => { throw new Error('the console speaks no JSON'); }";
    return names.map((name) => `export const ${name} = ${refuse};`).join("\n");
  },
};

/** Builds the console into dist/console, to be served below /console/. */
// oxlint-disable-next-line import/no-default-export -- Vite reads the default export.
export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  publicDir: false,
  plugins: [withoutJson],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../dist/console",
    emptyOutDir: true,
    target: "es2022",
    // Nothing is inlined: the content security policy lets only files of ours run and show.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Each file has headers and a turn of its own: what every page needs is one file, and what lists, forms
        // and the pages of objects are made of is one each.
        codeSplitting: {
          groups: [
            { name: "shared", tags: ["$initial"] },
            { name: "lists", test: /src\/console\/ui\/list\// },
            {
              name: "names",
              test: /src\/console\/ui\/(?:names\/(?:use-names|named-object)|period\/(?:texts|period-facts))\.ts$/,
            },
            { name: "forms", test: /src\/console\/ui\/form\// },
            { name: "objects", test: /src\/console\/(?:ui\/(?!use-later)[\w-]+\.tsx?|api\/enums\.ts)$/ },
          ],
        },
      },
    },
  },
});
