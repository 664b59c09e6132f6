import type { Guard } from "./guards.ts";

const conditional = "src/sites/rpc/calls/conditions/conditional-call.ts";
const held = "src/sites/rpc/calls/conditions/answer-in-transaction.ts";
const stored = "src/identity/idempotency/stored-answer.ts";
const keys = "test/api/conditions-idempotency.sized.test.ts";
const rules = "test/api/conditions-idempotency-rules.test.ts";
const tries = "test/api/conditions-validate-only.sized.test.ts";
const tryRules = "test/api/conditions-validate-only-rules.test.ts";

/** What stored answers and calls that are only tried stand on. */
export const conditionalCallGuards: readonly Guard[] = [
  {
    name: "conditional call: what was done is not done again",
    file: conditional,
    changes: [
      ["if (before !== undefined) return replay(input, before);", ""],
      ["asked && (await answers.findIn(tx, asked))", "undefined"],
    ],
    in: keys,
    test: "AddPersonalAccessToken done once",
  },
  {
    name: "conditional call: the same call is looked for inside of the write",
    file: conditional,
    change: ["asked && (await answers.findIn(tx, asked))", "undefined"],
    in: keys,
    test: "AddPersonalAccessToken",
  },
  {
    name: "conditional call: a call that failed on its twin is answered as that one",
    file: conditional,
    change: ["if (meanwhile === undefined) throw error;", "if (error !== undefined) throw error;"],
    in: "test/api/conditions-idempotency-fetch.test.ts",
  },
  {
    name: "conditional call: a refusal that was counted is stored",
    file: conditional,
    change: ['await answers.put(tx, asked, { kind: "problem", problem: toInit(problem) });', "return;"],
    in: rules,
    test: "of a wrong phone code",
  },
  {
    name: "conditional call: a repeat answers no secret",
    file: conditional,
    change: [
      "toBinary(descriptor.output, withoutSecrets(descriptor, answer))",
      "toBinary(descriptor.output, answer)",
    ],
    in: keys,
    test: "AddPersonalAccessToken done once",
  },
  {
    name: "conditional call: what is about nothing is refused",
    file: conditional,
    change: ["if (missing !== undefined) throw missing;", ""],
    in: tries,
    test: "is refused as the call is",
  },
  {
    name: "conditional call: a call that is only tried is undone",
    file: conditional,
    change: ['if (isDryRun) return "undo";', 'if (isDryRun) return "keep";'],
    in: tries,
    test: "AddProject answers as it would",
  },
  {
    name: "conditional call: a wrong code that is only tried is not counted",
    file: "src/identity/people/phones/commands.ts",
    change: ["code: call.isDryRun === true ? undefined : input.code", "code: input.code"],
    in: tryRules,
    test: "whether a phone code is right",
  },
  {
    name: "conditional call: a credential that is only tried is not judged",
    file: "src/identity/factors/authenticators/commands.ts",
    change: ["if (call.isDryRun === true) return await tryVerify(ports, input);", ""],
    in: tryRules,
    test: "whether a credential is right",
  },
  {
    name: "conditional call: an answer that is only tried holds no secret",
    file: conditional,
    change: ["return withoutSecrets(input.descriptor, attempt.answer);", "return attempt.answer;"],
    in: tries,
    test: "AddPersonalAccessToken answers as it would",
  },
  {
    name: "conditional call: a repeat is for the same organization",
    file: conditional,
    change: ["JSON.stringify([organizationId, ifMatch, bytes])", "JSON.stringify([ifMatch, bytes])"],
    in: rules,
    test: "with another organization",
  },
  {
    name: "answer in transaction: the answer is stored with the effect",
    file: held,
    change: [
      "const message = await answer.promise;\n      const verdict = await steps.finish(tx, message);",
      'const [message, verdict] = [{} as Message, "keep" as string];\n      void answer.promise.then((each) => steps.finish(tx, each), () => {});',
    ],
    in: tries,
    test: "AddProject answers as it would",
  },
  {
    name: "answer in transaction: what follows a call comes after it is durable, and not when it is undone",
    file: held,
    change: [
      "await committed;\n      for (const step of after) await step();",
      "await committed.finally(() => after.forEach((step) => void step()));",
    ],
    in: tryRules,
    test: "sends no message",
  },
  {
    name: "answer in transaction: what follows a call comes at all",
    file: held,
    change: ["for (const step of after) await step();", ""],
    in: rules,
    test: "sends no second message",
  },
  {
    name: "stored answer: another request does not get it",
    file: stored,
    change: [
      "stored.requestMac, asked.request)) throw",
      'stored.requestMac, asked.request) && asked.key === "") throw',
    ],
    in: keys,
    test: "AddProject done once",
  },
  {
    name: "stored answer: it is for its caller",
    file: stored,
    change: ["const parts = [userId, method, key];", "const parts = [method, key, userId.slice(0, 0)];"],
    in: keys,
    test: "is one of its caller",
  },
  {
    name: "stored answer: it is for its method",
    file: stored,
    change: ["const parts = [userId, method, key];", "const parts = [userId, key, method.slice(0, 0)];"],
    in: keys,
    test: "is one of its caller",
  },
  {
    name: "stored answer: it is over after 24 hours",
    file: stored,
    change: ["stored.expirationMs <= nowMs", "stored.expirationMs < nowMs"],
    in: keys,
    test: "is free again after 24 hours",
  },
  {
    name: "idempotency: a kept answer is for those who still reach the object",
    file: "src/sites/rpc/calls/pipeline.ts",
    change: ["if (problem !== undefined && isOutOfReach === true) throw problem;", ""],
    in: keys,
    test: "answers nobody who has lost the permission",
  },
];
