import type { Guard } from "./guards.ts";

/** What the fields and filters of requests promise, and what names may hold. */
export const fieldGuards: readonly Guard[] = [
  {
    name: "names: a username that differs in what is not seen",
    file: "src/kernel/base/names/unique-name.ts",
    change: [
      "parameters: [folded, `${folded} `]",
      "parameters: [toUniqueName(name), `${toUniqueName(name)} `]",
    ],
    in: "test/identity/instance/unique-name-repository.test.ts",
  },
  {
    name: "names: isolated on pages",
    file: "src/sites/login/markup/html.ts",
    changes: [
      ["html`<bdi>${", "html`${"],
      ["}</bdi>`", "}`"],
    ],
    in: "test/sites/login/pages.test.ts",
  },
];
