import { createHookCaller, type HookCaller } from "../identity/hooks/calls/hook-caller.ts";
import type { FeatureContext } from "../identity/context.ts";
import type { Metrics } from "../kernel/http/metrics/metrics.ts";
import type { GuardedFetch } from "../kernel/outbound/guarded-fetch.ts";
import { createWebhookPort } from "../kernel/outbound/webhook-port.ts";
import type { ServicesSetup } from "./setup.ts";

/** How many logins may ask one hook at the same time; others wait, within their time. */
const maxConnections = 64;
const idleMs = 30_000;

/** Creates what calls hooks, measures the calls, and notes those that fail. */
export function createHookCalls(
  { clock, random }: Pick<FeatureContext, "clock" | "random">,
  {
    fetcher,
    metrics,
    logger,
  }: Pick<ServicesSetup, "logger"> & { readonly fetcher: GuardedFetch; readonly metrics: Metrics },
): HookCaller {
  return createHookCaller({
    port: createWebhookPort(fetcher, clock, { maxConnections, idleMs }),
    clock,
    random,
    measure: () => performance.now(),
    onCall(call) {
      metrics.observeHook(call);
      if (call.outcome !== "failed") return;
      const { hookId, kind, failure, status } = call;
      logger.warn({ hook_id: hookId, kind, failure, status }, "hook.failed");
    },
  });
}
