/** Loaded into the service before it starts (`node --import`). It answers over IPC which modules were loaded so far. */
import { registerHooks } from "node:module";

const loaded: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url);
    return nextLoad(url, context);
  },
});
process.on("message", () => process.send?.(loaded));
process.channel?.unref();
