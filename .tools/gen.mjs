// Generates gen/ from proto/: `npm run gen`. With --out FOLDER it writes FOLDER/gen instead.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { layProtos } from "./lay-protos.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { out: { type: "string", default: root } } });
const out = resolve(values.out);

layProtos(join(root, "proto"));
const generator = spawnSync("buf", ["generate", "--output", out], { cwd: root, stdio: "inherit" });
process.exitCode = generator.status === 0 ? 0 : 1;
