import type { Guard } from "./guards.ts";

/** Events are forever. */
export const eventGuards: readonly Guard[] = [
  {
    name: "events: a payload of an older version is upgraded by a rebuild",
    file: "src/kernel/events/catalogue.ts",
    changes: [["upgrades.slice(from - 1)", "upgrades.slice(version)"]],
    in: "test/kernel/events/rebuild.test.ts",
    test: "when the log had version 1",
  },
  {
    name: "events: a payload of a newer version is not applied",
    file: "src/kernel/events/catalogue.ts",
    changes: [["from <= version)", "from <= Infinity)"]],
    in: "test/kernel/events/rebuild.test.ts",
    test: "a version that is not written yet",
  },
  {
    name: "events: no payload changes without a new version",
    file: "src/kernel/events/payloads.ts",
    changes: [
      [
        "  readonly private_labeling_setting: string;\n",
        "  readonly private_labeling_setting: string;\n  readonly undeclared?: string;\n",
      ],
    ],
    in: "test/kernel/events/payloads/payloads.test.ts",
    test: "in every version",
  },
  {
    name: "events: what is written has the version after the last upgrade",
    file: "src/kernel/events/catalogue.ts",
    changes: [["version: upgrades.length + 1", "version: Math.max(1, upgrades.length)"]],
    in: "test/kernel/events/catalogue.test.ts",
    test: "the last version that was ever described",
  },
  {
    name: "events: an upgrade makes what is read today",
    file: "src/kernel/events/older-payloads.ts",
    changes: [
      [
        "(payload: TokenRemovedV1) => ({ ...payload, ...takesTokensForOthers })",
        "(_payload: TokenRemovedV1) => takesTokensForOthers",
      ],
    ],
    in: "test/kernel/events/payloads/payloads.test.ts",
    test: "the upgrades of user.token.removed",
  },
  {
    name: "events: no applier expects what older payloads do not have",
    file: "src/identity/projects/repository.ts",
    changes: [
      ['text("private_labeling_setting")', '{ ...text("private_labeling_setting"), toStored: () => null }'],
    ],
    in: "test/kernel/events/frozen/frozen.test.ts",
    test: "is made again",
  },
  {
    name: "events: older payloads of a declared version are upgraded when they are read",
    file: "src/kernel/events/event-row.ts",
    changes: [
      ["upgradePayload(definition, row.version, {", "upgradePayload(definition, definition.version, {"],
    ],
    in: "test/kernel/events/frozen/declared-version.test.ts",
    test: "is served as it was",
  },
  {
    name: "watches: a commit while the feed reads is read too",
    file: "src/identity/events/feed.ts",
    changes: [
      ["    hasNews = true;\n    if (isReading) return;", "    if (isReading) return;\n    hasNews = true;"],
    ],
    in: "test/identity/events/wake-ups.test.ts",
    test: "news of a commit",
  },
  {
    name: "watches: the first news wakes all, as it is not known what they have seen",
    file: "src/identity/events/feed.ts",
    changes: [["(after === undefined || heads.some", "(heads.some"]],
    in: "test/identity/events/wake-ups.test.ts",
    test: "an open watch has each event",
  },
  {
    name: "watches: a bell that rings during a read is heard after it",
    file: "src/identity/events/watch.ts",
    changes: [["if (isRung || signal?.aborted === true) return;", "if (signal?.aborted === true) return;"]],
    in: "test/identity/events/wake-ups.test.ts",
    test: "an open watch has each event",
  },
  {
    name: "watches: no bookmark for nobody",
    file: "src/identity/events/watch.ts",
    changes: [["if (request.bookmarks === true && state", "if (state"]],
    in: "test/identity/events/watch.test.ts",
    test: "has not asked for it",
  },
  {
    name: "a key that was made and destroyed at once seals nothing more",
    file: "src/kernel/events/known-keys.ts",
    changes: [["made?.id === id && made.writtenAt === watch.written()", "made?.id === id"]],
    in: "test/kernel/events/sealing-keys.test.ts",
    test: "in the command that made it",
  },
  {
    name: "a key that was destroyed seals nothing more",
    file: "src/kernel/events/known-keys.ts",
    changes: [["seenAt !== watch.written() || ", ""]],
    in: "test/kernel/events/remote-address.test.ts",
  },
  {
    name: "a key that may yet be undone is not remembered",
    file: "src/kernel/events/known-keys.ts",
    changes: [[" && madeIn.get(tx.commit)?.has(id) !== true", ""]],
    in: "test/kernel/events/sealing-keys.test.ts",
    test: "from another command of a write that was undone",
  },
  {
    name: "the key of an organization is told of when it is made",
    file: "src/kernel/events/personal-data.ts",
    changes: [
      [
        "  await putSecret(\n    tx,\n    organizationKeyId",
        "  await addSecret(\n    tx,\n    organizationKeyId",
      ],
    ],
    in: "test/kernel/events/sealing-keys.test.ts",
    test: "of an organization is not remembered from a write that was undone",
  },
];
