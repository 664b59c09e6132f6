import type { Guard } from "./guards.ts";

/** What lies on the disk. */
export const storageGuards: readonly Guard[] = [
  {
    name: "encryption of client secrets",
    file: "src/identity/providers/commands.ts",
    changes: [
      [
        'context.keyring.encrypt("client-secret", plaintext, secretId)',
        '{ keyId: "", value: new Uint8Array(plaintext) }',
      ],
    ],
    in: "test/identity/providers/commands.test.ts",
  },
  {
    name: "encryption of personal data in events",
    file: "src/kernel/events/event-log.ts",
    changes: [["split(event.payload, definition.personal)", "split(event.payload, [])"]],
    in: "test/kernel/events/event-log.test.ts",
  },
  {
    name: "encryption of remote addresses",
    file: "src/kernel/events/remote-address.ts",
    changes: [
      [
        "await personalData\n      .seal(tx, editor, remoteAddress, toAddressContext(event.context))\n      .catch(toNothing);",
        "new Uint8Array(Buffer.from(remoteAddress));",
      ],
    ],
    in: "test/kernel/events/remote-address.test.ts",
  },
  {
    name: "what cannot be opened of an event reads as absent",
    file: "src/kernel/events/event-row.ts",
    changes: [
      [
        "      if (!(error instanceof UnreadableError)) throw error;\n      leaveOut",
        "      throw error;\n      leaveOut",
      ],
    ],
    in: "test/kernel/events/flipped-bits.test.ts",
  },
  {
    name: "a rebuild does not go on without what it cannot open",
    file: "src/kernel/events/event-row.ts",
    changes: [
      [
        "const personal = openPersonal(keys, row, person);\n  return {\n    type: row.type as EventType, // definitionOf",
        "let personal: string | undefined;\n  try {\n    personal = openPersonal(keys, row, person);\n  } catch {}\n  return {\n    type: row.type as EventType, // definitionOf",
      ],
    ],
    in: "test/kernel/events/flipped-bits.test.ts",
  },
  {
    name: "doctor compares the rows with their checksums",
    file: "src/cli/doctor/row-checks.ts",
    changes: [["stored !== expected", "stored > 2 ** 32"]],
    in: "test/kernel/events/flipped-bits.test.ts",
  },
  {
    name: "readiness asks the disk",
    file: "src/app/sites.ts",
    changes: [["await database.probe();", ""]],
    in: "test/process/operator-disk.test.ts",
  },
  {
    name: "a sequence that cannot be one is refused at the start",
    file: "src/kernel/storage/sqlite/sqlite-database.ts",
    changes: [["!Number.isSafeInteger(commits.lastSequence())", "false"]],
    in: "test/process/flipped-bits.test.ts",
  },
  {
    name: "a shared remote address is that of the editor",
    file: "src/kernel/events/remote-address.ts",
    changes: [["holders.get(editor)", "[...holders.values()].at(-1)"]],
    in: "test/kernel/events/remote-address.test.ts",
  },
  {
    name: "a shared remote address is that of the caller",
    file: "src/kernel/events/remote-address.ts",
    changes: [["holder?.remoteAddress === remoteAddress", "holder !== undefined"]],
    in: "test/kernel/events/remote-address.test.ts",
  },
  {
    name: "a command that is undone takes its remote address along",
    file: "src/kernel/events/remote-address.ts",
    changes: [[" && !holder.tx.isUndone()", ""]],
    in: "test/kernel/events/remote-address.test.ts",
  },
  {
    name: "a part that is undone takes its remote address along",
    file: "src/kernel/storage/sqlite/group-commit.ts",
    changes: [["await fn(part)", "await fn(this)"]],
    in: "test/kernel/events/remote-address.test.ts",
  },
  {
    name: "a grant is unique in the tables",
    file: "src/kernel/storage/sqlite/migrations/0007-unique-grants.sql",
    changes: [["CREATE UNIQUE INDEX", "CREATE INDEX"]],
    in: "test/identity/user-grants/commands.test.ts",
  },
  {
    name: "the key of a removed user is destroyed",
    file: "src/identity/user-service/repository.ts",
    changes: [["  await removeSecretsOf(tx, userKeyPrefix, users);", ""]],
    in: "test/identity/user-service/removal.test.ts",
  },
  {
    name: "a removal is erased from the files",
    file: "src/identity/people/user/commands.ts",
    changes: [["        afterCommit(context.database.purge);", ""]],
    in: "test/process/erasure.test.ts",
  },
  {
    name: "erasing copies of rows that were moved",
    file: "src/kernel/storage/sqlite/checkpoints.ts",
    changes: [["    wipeUnallocatedRegions(descriptor, pageBytes, changed.pages);", ""]],
    in: "test/kernel/storage/sqlite/purge.test.ts",
  },
  {
    name: "erasing what memory would write again",
    file: "src/kernel/storage/sqlite/checkpoints.ts",
    changes: [['          raw.pragma("shrink_memory");', ""]],
    in: "test/kernel/storage/sqlite/purge.test.ts",
  },
  {
    name: "additional data of a ciphertext",
    file: "src/kernel/base/keyring.ts",
    changes: [
      ['  cipher.setAAD(Buffer.from(options.context, "utf8"));', ""],
      ['  decipher.setAAD(Buffer.from(options.context, "utf8"));', ""],
    ],
    in: "test/kernel/base/keyring.test.ts",
    test: "refuse another context",
  },
  {
    name: "a client secret is bound to its identity provider",
    file: "src/identity/providers/commands.ts",
    changes: [['encrypt("client-secret", plaintext, secretId)', 'encrypt("client-secret", plaintext, "")']],
    in: "test/identity/providers/commands.test.ts",
  },
  {
    name: "page tokens are authenticated",
    file: "src/kernel/base/paging.ts",
    changes: [['!keyring.isMacOf("page-token", sealed, `${key}${position}`)', "false"]],
    in: "test/kernel/base/paging.test.ts",
  },
  {
    name: "page tokens are for one list",
    file: "src/kernel/base/paging.ts",
    changes: [
      ['isMacOf("page-token", sealed, `${key}${', 'isMacOf("page-token", sealed, `${'],
      ['mac("page-token", `${key}${', 'mac("page-token", `${'],
    ],
    in: "test/kernel/base/paging.test.ts",
  },
  {
    name: "a command that fails leaves nothing in its batch",
    file: "src/kernel/storage/sqlite/group-commit.ts",
    changes: [["written.makeAgain(connection, countBefore)", "written.forgetFrom(countBefore)"]],
    in: "test/kernel/storage/port/transactions.test.ts",
  },
  {
    name: "a command that fails leaves nothing in a batch that was made again",
    file: "src/kernel/storage/sqlite/group-commit.ts",
    changes: [['      connection.run("ROLLBACK TO command", []);\n', ""]],
    in: "test/kernel/storage/port/transactions.test.ts",
  },
  {
    name: "a command that fails takes nothing of the others along",
    file: "src/kernel/storage/sqlite/written-statements.ts",
    changes: [["statements.slice(0, count)", "statements.slice(0, 0)"]],
    in: "test/kernel/storage/port/transactions.test.ts",
  },
  {
    name: "a batch is not made again from a part of its statements",
    file: "src/kernel/storage/sqlite/written-statements.ts",
    changes: [["    isWhole,\n", "    isWhole: () => isWanted,\n"]],
    in: "test/kernel/storage/sqlite/written-statements.test.ts",
  },
  {
    name: "fsync: synchronous = FULL",
    file: "src/kernel/storage/sqlite/connection.ts",
    changes: [['raw.pragma("synchronous = FULL");', 'raw.pragma("synchronous = NORMAL");']],
    in: "test/kernel/storage/sqlite/sqlite-database.test.ts",
  },
  {
    name: "an answer comes after the commit",
    file: "src/kernel/storage/engine/write-queue.ts",
    changes: [
      [
        "outcomes.push(await engine.run(waiting, outcomes.length));",
        '{\n        const early = await engine.run(waiting, outcomes.length);\n        outcomes.push(early);\n        if (early.kind === "value") waiting.resolve(early.value);\n      }',
      ],
    ],
    in: "test/kernel/storage/sqlite/sqlite-database.test.ts",
  },
  {
    name: "what is late is not committed",
    file: "src/kernel/storage/sqlite/group-commit.ts",
    changes: [
      [
        'requireInTime(waiting.options, clock);\n    if (hasSavepoint) connection.run("RELEASE',
        'if (hasSavepoint) connection.run("RELEASE',
      ],
    ],
    in: "test/kernel/storage/port/transactions.test.ts",
  },
  {
    name: "a transaction ends with its command",
    file: "src/kernel/storage/sqlite/group-commit.ts",
    changes: [["if (this.isOver) throw", "if (false) throw"]],
    in: "test/kernel/storage/port/transactions.test.ts",
  },
  {
    name: "a read ends with its function",
    file: "src/kernel/storage/sqlite/reads.ts",
    changes: [["if (this.isOver) throw", "if (false) throw"]],
    in: "test/kernel/storage/port/transactions.test.ts",
  },
  {
    name: "a read after a commit sees it",
    file: "src/kernel/storage/sqlite/sqlite-database.ts",
    changes: [["commits.onCommit(reads.onCommit);", ""]],
    in: "test/kernel/storage/sqlite/sqlite-database.test.ts",
  },
  {
    name: "what is deleted is overwritten",
    file: "src/kernel/storage/sqlite/connection.ts",
    changes: [['raw.pragma("secure_delete = ON");', ""]],
    in: "test/kernel/storage/sqlite/sqlite-database.test.ts",
  },
  {
    name: "one process on a data folder",
    file: "src/kernel/storage/sqlite/lock.ts",
    changes: [['connection.exec("BEGIN EXCLUSIVE");', ""]],
    in: "test/process/serve.test.ts",
    test: "while another process",
  },
  {
    name: "a wrong master key",
    file: "src/identity/instance/commands.ts",
    changes: [
      ["if (expected !== undefined && !equalBytes(expected, keyring.checkValue(keyId)))", "if (false)"],
    ],
    in: "test/process/serve.test.ts",
    test: "by a master.key",
  },
  {
    name: "umask",
    file: "src/cli/run.ts",
    changes: [["process.umask(0o077);", ""]],
    in: "test/process/serve.test.ts",
    test: "for the owner only, whoever",
  },
  {
    name: "private files: 0600",
    file: "src/kernel/storage/data-folder.ts",
    changes: [
      ["mode: 0o600, ", ""],
      ["    chmodSync(temporary, 0o600);", "    //"],
    ],
    in: "test/kernel/storage/data-folder.test.ts",
  },
  {
    name: "the outbox of messages: 0600",
    file: "src/kernel/outbound/outbox.ts",
    changes: [["await handle.chmod(ownerOnly);", ""]],
    in: "test/kernel/outbound/outbox.test.ts",
  },
  {
    name: "watches tell of a secret that is replaced",
    file: "src/kernel/storage/engine/table-watches.ts",
    changes: [["\\b(?!.*\\bON\\s+CONFLICT\\b)/s", "\\b/s"]],
    in: "test/kernel/storage/engine/table-watches.test.ts",
    test: "sees",
  },
];
