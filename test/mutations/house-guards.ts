import type { Guard } from "./guards.ts";

/** Where things are, and what is said about them. */
export const houseGuards: readonly Guard[] = [
  {
    name: "house: every export has a doc comment",
    file: "src/base/clock.ts",
    changes: [["/** The clock of the machine. It may be set back while the service runs. */\n", ""]],
    in: "test/architecture/documented-exports.test.ts",
  },
  {
    name: "house: folders beside each other import one way",
    file: "src/http/bodies/body.ts",
    changes: [
      [
        'import type { Readable } from "node:stream";',
        'import type { Readable } from "node:stream";\nimport type {} from "../exchanges/exchange.ts";',
      ],
    ],
    in: "test/architecture/sizes.test.ts",
  },
];
