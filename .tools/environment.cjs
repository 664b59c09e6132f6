// Jest's environment for Node, in which code runs as quickly as outside of jest.
// Jest 30.5 intercepts every look-up of a global, such as `Array` or `Buffer`, which takes 200 times as long as the look-up
// itself, and lets every Error collect up to 100 frames instead of Node's 10. Both are here as in Node: the first because
// the context is made an ordinary one (https://nodejs.org/api/vm.html#vmconstantsdont_contextify).
// All files of a worker share one context, so that what is no test is loaded once (runtime.cjs). Each file finds the globals
// as they were at first.
const vm = require("node:vm");
const { TestEnvironment } = require("jest-environment-node");

const { createContext } = vm;

/** Made with the first file of the worker. */
let shared;

module.exports = class {
  constructor(config, context) {
    shared ??= createShared(config, context);
    shared.restore();
    const { global, fakeTimers, fakeTimersModern, moduleMocker } = shared.environment;
    Object.assign(this, { global, fakeTimers, fakeTimersModern, moduleMocker });
    global.testPath = context.testPath; // for test/support/engine/recorded-statements.ts
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.useRealTimers();
  }

  exportConditions() {
    return shared.environment.exportConditions();
  }

  getVmContext() {
    return shared.environment.getVmContext();
  }
};

function createShared(config, context) {
  const environment = createOrdinary(config, context);
  environment.global.Error.stackTraceLimit = Error.stackTraceLimit;
  const { global } = environment;
  const restoreGlobal = rememberProperties(global);
  const restoreProcess = rememberProperties(global.process);
  const restoreVariables = rememberProperties(global.process.env);
  return {
    environment,
    restore() {
      restoreGlobal();
      restoreProcess();
      restoreVariables();
    },
  };
}

function createOrdinary(...args) {
  vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
  try {
    return new TestEnvironment(...args);
  } finally {
    vm.createContext = createContext;
  }
}

/** Returns a function that gives the object the properties that it has now. */
function rememberProperties(object) {
  const before = new Map(
    Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)]),
  );
  return () => {
    for (const key of Reflect.ownKeys(object)) if (!before.has(key)) Reflect.deleteProperty(object, key);
    for (const [key, property] of before) {
      const now = Object.getOwnPropertyDescriptor(object, key);
      // A global that Node loads with its first use is an accessor until then, and its value from then on.
      const isLoaded =
        "get" in property && now !== undefined && "value" in now && now.value === globalThis[key];
      if (!isLoaded && !isSame(property, now)) Reflect.defineProperty(object, key, property);
    }
  };
}

function isSame(one, other) {
  return other !== undefined && ["value", "get", "set"].every((part) => Object.is(one[part], other[part]));
}
