// Jest's environment for Node, in which code runs as quickly as outside of jest.
// Jest 30.5 intercepts every look-up of a global, such as `Array` or `Buffer`, which takes 200 times as long as the look-up
// itself, and lets every Error collect up to 100 frames instead of Node's 10. Both are here as in Node: the first because
// the context is made an ordinary one (https://nodejs.org/api/vm.html#vmconstantsdont_contextify). When jest's own
// environment makes such a context, this file can go.
const vm = require("node:vm");
const { TestEnvironment } = require("jest-environment-node");

const { createContext } = vm;

module.exports = class extends TestEnvironment {
  constructor(...args) {
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...args);
    } finally {
      vm.createContext = createContext;
    }
    this.global.Error.stackTraceLimit = Error.stackTraceLimit;
  }
};
