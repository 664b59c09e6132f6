import type { Actor } from "./actors.ts";
import type { Layout } from "./findings.ts";
import type { Purse } from "./purse.ts";
import type { World } from "./world.ts";

/** What the world is after some calls, as the actor finds it. */
export interface Scene {
  readonly world: World;
  readonly actor: Actor;
  readonly purse: Purse;
  readonly layout: Layout;
}
