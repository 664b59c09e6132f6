import { expect, test } from "@jest/globals";
import { parseConfig } from "../../src/config/config.ts";
import { ConfigError } from "../../src/config/config-error.ts";
import { shareConnections, shareLimits } from "../../src/config/shares.ts";

test("workers share what is for all callers together, and not what is for one", () => {
  const alone = parseConfig({ "max-calls": "101" }, {});
  const { limits, workers } = parseConfig({ workers: "4", "max-calls": "101" }, {});
  expect([alone.workers, workers]).toEqual([1, 4]);
  expect(shareLimits(alone)).toEqual(alone.limits);
  expect(shareLimits({ limits, workers })).toEqual({
    ...limits,
    maxConnections: 2500,
    maxCalls: 26,
    maxBufferedBytes: limits.maxBufferedBytes / 4,
    maxWatches: 250,
    maxWatchesPerOrganization: 25,
  });
  expect([1, 2, 64].map((count) => shareConnections({ workers: count }))).toEqual([8, 4, 2]);
});

test("a worker can hold the largest message", () => {
  const config = parseConfig({ workers: "64" }, {});
  expect(shareLimits(config).maxBufferedBytes).toBe(config.limits.maxMessageBytes);
});

test.each(["0", "65", "1.5", "", "all"])("%j is no number of workers", (workers) => {
  expect(() => parseConfig({ workers }, {})).toThrow(ConfigError);
});
