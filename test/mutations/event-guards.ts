import type { Guard } from "./guards.ts";

/** Events are forever. */
export const eventGuards: readonly Guard[] = [
  {
    name: "events: a payload of an older version is upgraded by a rebuild",
    file: "src/kernel/events/catalogue.ts",
    change: ["upgrades.slice(from - 1)", "upgrades.slice(version)"],
    in: "test/kernel/events/rebuild.test.ts",
    test: "when the log had version 1",
  },
  {
    name: "events: a payload of a newer version is not applied",
    file: "src/kernel/events/catalogue.ts",
    change: ["from <= version)", "from <= Infinity)"],
    in: "test/kernel/events/rebuild.test.ts",
    test: "a version that is not written yet",
  },
  {
    name: "events: no payload changes without a new version",
    file: "src/kernel/events/payloads.ts",
    change: [
      "  readonly private_labeling_setting: string;\n",
      "  readonly private_labeling_setting: string;\n  readonly undeclared?: string;\n",
    ],
    in: "test/kernel/events/payloads/payloads.test.ts",
    test: "in every version",
  },
  {
    name: "events: what is written has the version after the last upgrade",
    file: "src/kernel/events/catalogue.ts",
    change: ["version: upgrades.length + 1", "version: Math.max(1, upgrades.length)"],
    in: "test/kernel/events/catalogue.test.ts",
    test: "the last version that was ever described",
  },
  {
    name: "events: an upgrade makes what is read today",
    file: "src/kernel/events/older-payloads.ts",
    change: [
      "(payload: TokenRemovedV1) => ({ ...payload, ...takesTokensForOthers })",
      "(_payload: TokenRemovedV1) => takesTokensForOthers",
    ],
    in: "test/kernel/events/payloads/payloads.test.ts",
    test: "the upgrades of user.token.removed",
  },
  {
    name: "events: no applier expects what older payloads do not have",
    file: "src/identity/projects/repository.ts",
    change: [
      'text("private_labeling_setting")',
      '{ ...text("private_labeling_setting"), toStored: () => null }',
    ],
    in: "test/kernel/events/frozen/frozen.test.ts",
    test: "is made again",
  },
  {
    name: "a key that was made and destroyed at once seals nothing more",
    file: "src/kernel/events/known-keys.ts",
    change: ["made?.id === id && made.writtenAt === watch.written()", "made?.id === id"],
    in: "test/kernel/events/sealing-keys.test.ts",
    test: "in the command that made it",
  },
  {
    name: "a key that was destroyed seals nothing more",
    file: "src/kernel/events/known-keys.ts",
    change: ["seenAt !== watch.written() || ", ""],
    in: "test/kernel/events/remote-address.test.ts",
  },
  {
    name: "a key that may yet be undone is not remembered",
    file: "src/kernel/events/known-keys.ts",
    change: [" && madeIn.get(tx.commit)?.has(id) !== true", ""],
    in: "test/kernel/events/sealing-keys.test.ts",
    test: "from another command of a write that was undone",
  },
  {
    name: "the key of an organization is told of when it is made",
    file: "src/kernel/events/personal-data.ts",
    change: [
      "  await putSecret(\n    tx,\n    organizationKeyId",
      "  await addSecret(\n    tx,\n    organizationKeyId",
    ],
    in: "test/kernel/events/sealing-keys.test.ts",
    test: "of an organization is not remembered from a write that was undone",
  },
];
