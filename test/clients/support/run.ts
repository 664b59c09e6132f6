import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Runs a command to its end. Throws with what it wrote when it fails. */
export async function run(command: readonly string[], directory: string): Promise<void> {
  const { child, written } = start(command, directory);
  const [code] = (await once(child, "close")) as [number | null]; // the arguments of "close"
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${written()}`);
}

/** Starts a program and waits until it says that it is ready. Throws when it ends before. */
export async function startProgram(command: readonly string[], directory: string): Promise<ChildProcess> {
  const { child, written } = start(command, directory);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", () => {
      if (/^ready$/m.test(written())) resolve();
    });
    child.once("close", () => reject(new Error(`${command.join(" ")} ended: ${written()}`)));
  });
  return child;
}

function start([program = "", ...args]: readonly string[], cwd: string) {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  return { child, written: () => text };
}
