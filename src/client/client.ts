/** What programs call Gatehouse with: `import { … } from "gatehouse/client"`, in Node and in browsers. */
export {
  type CallOptions,
  type Client,
  createGatehouse,
  type Gatehouse,
  type GatehouseOptions,
} from "./gatehouse.ts";
export { GatehouseError, type FailureReason, type Violation } from "./errors.ts";
export { listAll } from "./lists.ts";
export { clientCredentials, serviceKey, staticToken, type Tokens } from "./tokens.ts";
export { watchEvents, type WatchOptions } from "./watch.ts";
