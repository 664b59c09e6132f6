import type { Guard } from "./guards.ts";

const service = "src/sites/rpc/calls/batch/service.ts";
const references = "src/sites/rpc/calls/batch/references.ts";
const access = "src/identity/access/authorization.ts";
const commits = "src/kernel/storage/sqlite/group-commit.ts";
const whole = "test/api/batch.sized.test.ts";
const judged = "test/api/batch-access.test.ts";
const conditions = "test/api/batch-conditions.test.ts";
const fields = "test/sites/rpc/calls/batch/references.test.ts";
const nested = "test/kernel/storage/port/nested.test.ts";

/** Many changes in one transaction. */
export const batchGuards: readonly Guard[] = [
  {
    name: "batch: an item needs the permission of its call",
    file: service,
    changes: [
      [
        "const { caller, access, problem } = await batch",
        "const { caller, access } = { access: batch.call.access, caller: batch.caller };\n  const problem = undefined as Problem | undefined;\n  void (await batch",
      ],
      [
        "    organizationId,\n  });\n  batch.caller",
        "    organizationId,\n  }).catch(() => {}));\n  batch.caller",
      ],
    ],
    in: judged,
  },
  {
    name: "batch: an item is judged on what the items before it have changed",
    file: access,
    change: ["if (caller.accessRevision !== accessRevision)\n", "if (tx === undefined)\n"],
    in: judged,
    test: "is judged for each item",
  },
  {
    name: "batch: the caller of an item is as the items before it have left them",
    file: service,
    change: ["const { caller } = batch;", "const { caller } = call;"],
    in: judged,
    test: "out of reach once",
  },
  {
    name: "batch: permission on objects is looked up in the transaction",
    file: access,
    change: [
      "const decision = await authorize(onTransaction(setup, tx), caller, asked.request);\n  return { ...decision, caller };",
      "const decision = await authorize(setup as never, caller, asked.request);\n  return { ...decision, caller };",
    ],
    in: judged,
    test: "is there for its items once it is made",
  },
  {
    name: "batch: field rules of an item",
    file: service,
    change: ["checkFields({ descriptor, check: rpc.check }, batch.fieldRules, request);", ""],
    in: whole,
    test: "names the fields of the item",
  },
  {
    name: "batch: existence of what an item is about",
    file: service,
    change: ["if (problem !== undefined) throw problem;", ""],
    in: "test/api/tenancy-people.sized.test.ts",
    test: "as an item of a batch$",
  },
  {
    name: "batch: an item acts on the organization that it names",
    file: service,
    change: ['organizationId === "" ? call.organizationHeader : organizationId', "call.organizationHeader"],
    in: judged,
    test: "acts on the organization that it names",
  },
  {
    name: "batch: a failure ends all or nothing",
    file: service,
    change: [
      "          : await insist(batch, { item, index }),",
      "          : await attempt(batch, { item, index }),",
    ],
    in: whole,
    test: "leaves nothing of 999 items",
  },
  {
    name: "batch: if_match of an item",
    file: service,
    changes: [
      ["requireMatch: match?.require", "requireMatch: undefined"],
      ["  match?.finish();\n", ""],
    ],
    in: conditions,
    test: "is judged for its item",
  },
  {
    name: "batch: if_match is for items that change one object",
    file: service,
    change: ["if (effect !== Effect.CHANGE)", "if (effect === undefined)"],
    in: conditions,
    test: "that does not hold undoes",
  },
  {
    name: "batch: what follows a change follows the batch",
    file: service,
    change: ["for (const step of steps) afterCommit(step);", ""],
    in: "test/process/batch.test.ts",
    test: "leaves nothing of them in the files",
  },
  {
    name: "batch: a reference is to an item that did not fail",
    file: references,
    change: ["if (failures.has(name)) throw itemFailed(name);", ""],
    in: fields,
  },
  {
    name: "batch: a reference is to an earlier item",
    file: references,
    change: ["if (!ids.has(name)) throw fieldInvalid", "if (name === undefined) throw fieldInvalid"],
    in: fields,
  },
  {
    name: "batch: a reference is to an item that makes an id",
    file: references,
    change: [
      'if (id === undefined) throw fieldInvalid(field, "must name an item that makes an object with an id");\n    return id;',
      'return id ?? "";',
    ],
    in: fields,
  },
  {
    name: "part of a write: it is undone when it fails",
    file: commits,
    change: ['connection.run("ROLLBACK TO part", []);', ""],
    in: nested,
    test: "takes back what it did",
  },
];
