// Lets jest run the sources as Node runs them: types are stripped by Node itself, nothing else is changed.
// Do not pass `sourceUrl` to stripTypeScriptTypes: it makes the coverage 0 %.
const { createHash } = require("node:crypto");
const { stripTypeScriptTypes } = require("node:module");

module.exports = {
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: "strip" }) }),
  getCacheKey: (source, path) =>
    createHash("sha256")
      .update(process.version)
      .update("\0")
      .update(path)
      .update("\0")
      .update(source)
      .digest("hex"),
};
