import { type Config, parseConfig } from "../../../src/config/config.ts";
import { parsePlace } from "../../../src/config/place.ts";
import type { TestPlace } from "./engine.ts";

/**
 * Returns the configuration of a service at the place. `flags` are those of `gatehouse serve`; the port is given. On every engine
 * a service has the same defaults: those of one that serves its own machine.
 */
export function configOf(place: TestPlace, flags: Readonly<Record<string, unknown>>): Config {
  const config = parseConfig({ listen: "127.0.0.1:0", data: place.folder, ...flags }, {});
  return { ...config, ...parsePlace(place.flags, {}) };
}
