import type { Origin } from "../../kernel/base/call.ts";
import type { FeatureContext } from "../context.ts";
import { listFormerGains } from "../memberships/former-gains-repository.ts";
import { checkFormerGains } from "../memberships/former-gains.ts";
import { areFormerGainsChecked, noteFormerGainsChecked } from "./repository.ts";

type Context = Pick<FeatureContext, "database" | "log">;

const origin: Origin = { editor: "system", remoteAddress: undefined, requestId: "provider-logins" };
/** How many users are looked at in a write: other processes may serve meanwhile. */
const usersAtOnce = 50;

/**
 * Removes roles on other organizations, once, from everything that was made in logins at identity providers: an earlier version did
 * not, when the roles were gained. An interruption is harmless: the next start begins again, and what is done already is done to
 * nobody twice.
 */
export async function limitProviderLogins({ database, log }: Context): Promise<void> {
  if (await database.read(areFormerGainsChecked)) return;
  let after: string | undefined = "";
  while (after !== undefined) {
    const from: string = after;
    after = await database.write(async (tx) => {
      const page = await listFormerGains(tx, { after: from, limit: usersAtOnce });
      for (const gains of page.gains) {
        const events = await checkFormerGains(tx, gains);
        if (events.length > 0) await log.append(tx, origin, events);
      }
      return page.lastUserId;
    });
  }
  await database.write(noteFormerGainsChecked);
}
