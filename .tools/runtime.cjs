// Jest's runtime, which keeps what is no test in a worker instead of loading it for every file of tests: packages and gen/
// for as long as the process lives, src/ for one run of jest, in which it does not change. Loading them, and running them
// cold, was a third of what `npm test` costs. Nothing in src/ has state of a module. Files of tests, with all that they
// import of test/ but what follows from src/ alone (test/support/derived.ts), are loaded anew, as jest does. Jest 30.5 has no such setting; with `--coverage` everything is as in jest.
const { statSync } = require("node:fs");
const { fileURLToPath, pathToFileURL } = require("node:url");
const { default: JestRuntime } = require("jest-runtime");

/** The packages of jest that remember something of the file that runs. */
const statefulOfJest = /\/node_modules\/(?:@jest\/expect|expect|jest-circus|jest-each|jest-snapshot)\//;

/** Packages and gen/, by the process. */
let lasting;
/** With src/, by the resolver: jest makes one for each run. */
const libraries = new WeakMap();

module.exports = class extends JestRuntime {
  constructor(...args) {
    super(...args);
    const [{ rootDir }, environment, resolver, , , { collectCoverage }] = args;
    if (collectCoverage) return;
    if (!libraries.has(resolver)) {
      if (lasting?.isStale() !== false) lasting = createLibrary(args, environment, keepsAlways(rootDir));
      libraries.set(resolver, createLibrary(args, environment, keepsForRun(rootDir), lasting));
    }
    useLibrary(this, libraries.get(resolver));
    keepCompiled(this);
  }
};

/** The functions that the stateful packages were compiled to, by their files: they run again for each file of tests. */
const compiled = new Map();

function keepCompiled({ executor }) {
  const compile = executor.compile.bind(executor);
  executor.compile = (source, path) => {
    if (!statefulOfJest.test(path)) return compile(source, path);
    if (!compiled.has(path)) compiled.set(path, compile(source, path));
    return compiled.get(path);
  };
}

const writtenMsOf = (url) => statSync(fileURLToPath(url)).mtimeMs;

const within = (folder) => {
  const start = `${pathToFileURL(folder).href}/`;
  return (url) => url.startsWith(start);
};

const keepsAlways = (rootDir) => {
  const isGenerated = within(`${rootDir}/gen`);
  return (url) => isGenerated(url) || (url.startsWith("file:") && url.includes("/node_modules/"));
};

const keepsForRun = (rootDir) => {
  const isSource = within(`${rootDir}/src`);
  const { href: derived } = pathToFileURL(`${rootDir}/test/support/derived.ts`);
  return (url) => url === derived || isSource(url);
};

/** Lets a runtime find in a library what it has not loaded itself. */
function useLibrary({ registries }, library) {
  registries.esModuleRegistry = new Registry(library.findModule);
  registries.internalModuleRegistry = new Registry(library.findOfJest);
}

/** Modules that are loaded when they are first looked for: those whose URLs `isKept` names, and those of `below`. */
function createLibrary([config, , ...others], environment, isKept, below) {
  const { global, moduleMocker } = environment;
  const context = environment.getVmContext(); // one for all files of a worker
  const exportConditions = () => environment.exportConditions();
  const runtime = new JestRuntime(
    config,
    { global, moduleMocker, exportConditions, getVmContext: () => context },
    ...others,
  );
  if (below !== undefined) useLibrary(runtime, below);
  const { esmLoader } = runtime;
  const found = new Map();
  const load = (path) => {
    if (!path.endsWith(".json") && !runtime.unstable_shouldLoadAsEsm(path))
      return esmLoader.loadCjsAsEsm(path, path, "", context);
    const module = esmLoader.tryLoadGraphSync(path, "", "sync-preferred");
    return module === "load-async" ? undefined : module; // it awaits something, so each file loads its own
  };
  return {
    findModule(url) {
      if (!isKept(url)) return below?.findModule(url);
      if (!found.has(url)) found.set(url, { writtenMs: writtenMsOf(url), module: load(fileURLToPath(url)) });
      return found.get(url).module;
    },
    findOfJest(path) {
      if (statefulOfJest.test(path)) return undefined;
      if (below !== undefined) return below.findOfJest(path);
      runtime.requireInternalModule(path);
      return runtime.registries.internalModuleRegistry.get(path);
    },
    /** Whether something of it was written since, as by `npm run gen` in watch mode. */
    isStale: () => [...found].some(([url, { writtenMs }]) => writtenMsOf(url) !== writtenMs),
  };
}

/** The modules that a runtime has loaded, and behind them those of a library. */
class Registry extends Map {
  #find;

  constructor(find) {
    super();
    this.#find = find;
  }

  has(key) {
    return this.get(key) !== undefined;
  }

  get(key) {
    return super.get(key) ?? this.#find(key);
  }
}
