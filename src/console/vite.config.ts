import { defineConfig } from "vite";

/** Builds the console into dist/console, to be served below /console/. */
// oxlint-disable-next-line import/no-default-export -- Vite reads the default export.
export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  publicDir: false,
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
  },
});
