import { existsSync } from "node:fs";
import type { DataFolder, LooseMode } from "../data-folder.ts";
import type { Finding } from "../finding.ts";

/** Names each file that other users may access, and the folder if they may write to it. */
export function checkModes(looseModes: readonly LooseMode[], folder: string): readonly Finding[] {
  const loose = looseModes.map(({ file, mode, isOpenToAll }): Finding => {
    const advice = file === folder ? "chmod go-w" : "chmod 600";
    return {
      state: isOpenToAll ? "FAILED" : "warning",
      check: "modes",
      detail: `${file} has mode ${mode}, so users other than its owner can access it; run ${advice} on it`,
    };
  });
  if (loose.length > 0) return loose;
  return [{ state: "ok", check: "modes", detail: "accessible only to the owner" }];
}

/** Looks for the token of the first start. */
export function checkAdminToken(folder: DataFolder): Finding {
  const check = "admin token";
  if (!existsSync(folder.adminToken))
    return { state: "ok", check, detail: "the token file of the first start is gone" };
  const detail = `${folder.adminToken} still exists; move it to another place once other administrators have tokens`;
  return { state: "ok", check, detail };
}
