// Rotates the master key of the folder in the first argument, and is killed after as many steps as the second one says.
import { openInstallation } from "../../../src/app/installation.ts";
import { rotateMasterKey } from "../../../src/cli/keys.ts";

const [folder = "", steps = ""] = process.argv.slice(2);
let left = Number(steps);
const installation = await openInstallation({ dataFolder: folder }, { isNewAllowed: false });
await rotateMasterKey(installation, () => {
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
});
throw new Error(`the rotation has no ${steps} steps`);
