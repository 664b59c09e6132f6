import type { Guard } from "./guards.ts";

const conditions = "src/sites/rpc/calls/conditions/headers.ts";
const rules = "test/api/conditions-idempotency-rules.test.ts";
const matches = "test/api/conditions-if-match.sized.test.ts";
const tries = "test/api/conditions-validate-only.sized.test.ts";

/** What idempotency-key, if-match and x-service-validate-only may be, and what if-match stands on. */
export const conditionGuards: readonly Guard[] = [
  {
    name: "conditions: a key has 200 characters at most",
    file: conditions,
    changes: [["{1,200}$/.test", "{1,201}$/.test"]],
    in: rules,
    test: "of 1 to 200 characters",
  },
  {
    name: "conditions: a key is not empty",
    file: conditions,
    changes: [["{1,200}$/.test", "{0,200}$/.test"]],
    in: rules,
    test: "of 1 to 200 characters",
  },
  {
    name: "conditions: a key is printable ASCII",
    file: conditions,
    changes: [[String.raw`/^[\x20-\x7e]{1,200}$/`, "/^.{1,200}$/"]],
    in: rules,
    test: "of printable ASCII",
  },
  {
    name: "conditions: if-match is for changes of one object",
    file: conditions,
    changes: [["if (effect !== Effect.CHANGE)", "if (effect === Effect.UNSPECIFIED)"]],
    in: matches,
    test: "takes no if-match",
  },
  {
    name: "conditions: if-match is one strong tag",
    file: conditions,
    changes: [[String.raw`/^"(\d{1,20})"$/.exec`, String.raw`/"(\d{1,20})"/.exec`]],
    in: matches,
    test: "on each lane",
  },
  {
    name: "conditions: if-match is a number",
    file: conditions,
    changes: [[String.raw`/^"(\d{1,20})"$/.exec`, String.raw`/^"(\w{1,20})"$/.exec`]],
    in: matches,
    test: "on each lane",
  },
  {
    name: "conditions: validate-only is true or false",
    file: conditions,
    changes: [['if (value !== "true") throw', 'if (value === "maybe") throw']],
    in: tries,
    test: "no word is taken",
  },
  {
    name: "conditions: validate-only may be false",
    file: conditions,
    changes: [[' || value === "false") return false', ") return false"]],
    in: tries,
    test: "AddProject answers as it would",
  },
  {
    name: "conditions: the sequence is compared",
    file: conditions,
    changes: [["ifMatch !== String(sequence)) throw", "ifMatch === String(sequence)) throw"]],
    in: matches,
    test: "UpdateProject is done for the sequence",
  },
  {
    name: "conditions: * is any sequence",
    file: conditions,
    changes: [['if (ifMatch !== "*" && ', "if ("]],
    in: matches,
    test: String.raw`UpdateProject is done for \*`,
  },
  {
    name: "conditions: a change names its object",
    file: "src/identity/context.ts",
    changes: [["= requireTarget(command.call, await load(command));", "= await load(command);"]],
    in: matches,
    test: "UpdateProjectGrant is done for the sequence",
  },
  {
    name: "conditions: the object is compared before its state is judged",
    file: "src/identity/people/phones/commands.ts",
    changes: [
      [
        "load: ({ tx }) => getUser(tx, call.access.organizationId, userId),",
        "load: async ({ tx }) => requireHuman(await getUser(tx, call.access.organizationId, userId)),",
      ],
    ],
    in: matches,
    test: "RemovePhone WRONG_KIND",
  },
  {
    name: "conditions: a get answers the sequence of its object",
    file: "src/sites/rpc/lanes/rest/etag.ts",
    changes: [["details.sequence}", "details.sequence + 1n}"]],
    in: matches,
    test: "is what GetProject answers",
  },
];
