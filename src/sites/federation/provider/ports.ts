import type { Logger } from "pino";
import type { FeatureContext } from "../../../identity/context.ts";
import type { ProviderFetch } from "./provider-fetch.ts";
import type { ProviderKeys } from "./provider-keys.ts";
import type { WaitingLimit } from "./waiting-limit.ts";

/** What logins at identity providers work with. */
export interface FederationPorts {
  readonly context: FeatureContext;
  readonly fetcher: ProviderFetch;
  readonly keys: ProviderKeys;
  readonly waitingLimit: WaitingLimit;
  readonly logger: Logger;
}
