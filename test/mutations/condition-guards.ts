import type { Guard } from "./guards.ts";

const conditions = "src/sites/rpc/calls/conditions/headers.ts";
const matches = "test/api/conditions-if-match.sized.test.ts";

/** What idempotency-key, if-match and x-service-validate-only may be, and what if-match stands on. */
export const conditionGuards: readonly Guard[] = [
  {
    name: "conditions: if-match is for changes of one object",
    file: conditions,
    change: ["if (effect !== Effect.CHANGE)", "if (effect === Effect.UNSPECIFIED)"],
    in: matches,
    test: "takes no if-match",
  },
  {
    name: "conditions: the sequence is compared",
    file: conditions,
    change: ["ifMatch !== String(sequence)) throw", "ifMatch === String(sequence)) throw"],
    in: matches,
    test: "UpdateProject is done for the sequence",
  },
  {
    name: "conditions: * is any sequence",
    file: conditions,
    change: ['if (ifMatch !== "*" && ', "if ("],
    in: matches,
    test: String.raw`UpdateProject is done for \*`,
  },
  {
    name: "conditions: a change names its object",
    file: "src/identity/context.ts",
    change: ["= requireTarget(command.call, await load(command));", "= await load(command);"],
    in: matches,
    test: "UpdateProjectGrant is done for the sequence",
  },
  {
    name: "conditions: the object is compared before its state is judged",
    file: "src/identity/people/phones/commands.ts",
    change: [
      "load: ({ tx }) => getUser(tx, call.access.organizationId, userId),",
      "load: async ({ tx }) => requireHuman(await getUser(tx, call.access.organizationId, userId)),",
    ],
    in: matches,
    test: "RemovePhone WRONG_KIND",
  },
];
