import { expect, test } from "@jest/globals";
import { joinMetrics } from "../../src/workers/join-metrics.ts";

test("each series gets the label of its worker, and each metric has its head once", () => {
  const texts = ['# HELP a One.\n# TYPE a gauge\na 1\n\n# HELP b Two.\n# TYPE b counter\nb{c="}"} 2 3\n'];
  const both = [...texts, "# HELP e None.\n# TYPE e counter\n# HELP a One.\n# TYPE a gauge\na -5\n"];
  const all = both.map((text, index) => ({ slot: 1 - index, text }));
  expect(joinMetrics(all).split("\n")).toEqual([
    "# HELP a One.",
    "# TYPE a gauge",
    'a{worker="0"} -5',
    'a{worker="1"} 1',
    "",
    "# HELP b Two.",
    "# TYPE b counter",
    'b{worker="1",c="}"} 2 3',
    "",
  ]);
});
