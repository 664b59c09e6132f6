import type { Call } from "../../kernel/base/call.ts";
import { scopesWithPermission } from "../../kernel/base/permission.ts";
import type { FeatureContext } from "../context.ts";
import type { SessionMethod } from "../logins/sessions/session.ts";
import { type ActivityDay, toDays } from "./activity.ts";
import { spanHours } from "./counter.ts";
import {
  listApplicationUses,
  listCountsOfDays,
  listFactorUses,
  listSketches,
  wholeInstance,
} from "./repository.ts";
import { countSketch, mergeSketch, type Sketch } from "./sketch.ts";

/** How much is going on in some organizations, or in the instance. */
export interface Activity {
  /** Oldest first, each day. */
  readonly days: readonly ActivityDay[];
  readonly activeUsers: Readonly<Record<"lastDay" | "last7Days" | "last30Days", number>>;
  /** The most users first. */
  readonly factors: readonly { readonly method: SessionMethod; readonly users: number }[];
  /** The most sign-ins first, at most 10. */
  readonly applications: readonly { readonly appId: string; readonly count: number }[];
  /** Whether emails get to people. */
  readonly sendsEmails: boolean;
}

/** The use cases of activity. */
export interface ActivityCommands {
  /** Returns the activity of the users of the organizations where the caller holds `event.read`, or of the one of the call. */
  get(call: Call, asked: { readonly days: number; readonly utcOffsetHours: number }): Promise<Activity>;
}

const hourMs = 3_600_000;
const defaultDays = 30;

/** Creates the commands of activity. */
export function createActivityCommands({
  database,
  clock,
  sendsEmails,
}: Pick<FeatureContext, "database" | "clock"> & Pick<Activity, "sendsEmails">): ActivityCommands {
  return {
    async get({ access, caller }, { days, utcOffsetHours: offsetHours }) {
      const reach = scopesWithPermission(caller.held, "event.read");
      const named = access.spansOrganizations === true ? reach.organizations : [access.organizationId];
      const isAll = access.spansOrganizations === true && reach.isInstance;
      const owners = isAll ? [wholeInstance] : named;
      const nowHour = Math.floor(clock.nowMs() / hourMs);
      const last = Math.floor((nowHour + offsetHours) / 24);
      const first = last - (days === 0 ? defaultDays : days) + 1;
      const fromHour = first * 24 - offsetHours;
      const firstSpan = Math.floor((nowHour - 30 * 24) / spanHours);
      return await database.read(async (tx) => {
        const counts = await listCountsOfDays(tx, owners, { fromHour, offsetHours });
        const sketches = await listSketches(tx, owners, firstSpan);
        const since = (age: number) => {
          const from = Math.floor((nowHour - age * 24) / spanHours);
          const sketch: Sketch = new Map();
          for (const each of sketches) if (each.span >= from) mergeSketch(sketch, each.sketch);
          return countSketch(sketch);
        };
        return {
          days: toDays(counts, { first, last }),
          activeUsers: { lastDay: since(1), last7Days: since(7), last30Days: since(30) },
          factors: await listFactorUses(tx, isAll ? undefined : owners),
          sendsEmails,
          applications: await listApplicationUses(tx, owners, first * 24),
        };
      });
    },
  };
}
