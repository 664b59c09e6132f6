import { expect, test } from "@jest/globals";
import { insertName, selectNames, usePort } from "./open-place.ts";

const port = usePort();

test("numbers, bytes, texts and nulls come back as they were stored", async () => {
  const bytes = new Uint8Array([0, 1, 127, 128, 255]);
  await port.database.write((tx) =>
    tx.run("INSERT INTO secrets (id, key_id, value, checksum) VALUES (?, ?, ?, ?)", [
      "ü\u{1F600}",
      "",
      bytes,
      Number.MAX_SAFE_INTEGER,
    ]),
  );
  const row = await port.database.read((tx) =>
    tx.get<{ id: string; key_id: string; value: Uint8Array; checksum: number; missing: null }>(
      "SELECT id, key_id, value, checksum, NULLIF(id, id) AS missing FROM secrets",
    ),
  );
  expect({ ...row, value: new Uint8Array(row?.value ?? []) }).toEqual({
    id: "ü\u{1F600}",
    key_id: "",
    value: bytes,
    checksum: Number.MAX_SAFE_INTEGER,
    missing: null,
  });
});

test("counts and sums are numbers, and conditions 0 or 1", async () => {
  await port.database.write((tx) => tx.run(insertName, ["a"]));
  const row = await port.database.read((tx) =>
    tx.get(
      "SELECT COUNT(*) AS count, SUM(7) AS sum, name = ? AS yes, name <> ? AS no FROM settings GROUP BY name",
      ["a", "a"],
    ),
  );
  expect(row).toEqual({ count: 1, sum: 7, yes: 1, no: 0 });
});

test("a text with U+0000 is found nowhere", async () => {
  await port.database.write((tx) => tx.run(insertName, ["a"]));
  const find = "SELECT name FROM settings WHERE name = ?";
  expect(await port.database.read((tx) => tx.get(find, ["a\0"]))).toBeUndefined();
  expect(await port.database.write(async (tx) => ({ row: await tx.get(find, ["a\0"]) }))).toEqual({
    row: undefined,
  });
});

test("a write sees everything that it has done, statement by statement", async () => {
  const seen = await port.database.write(async (tx) => {
    const counts: number[] = [];
    const count = async () => {
      counts.push((await tx.all(selectNames)).length);
    };
    await tx.run(insertName, ["a"]);
    await tx.run(insertName, ["b"]);
    await count();
    counts.push(await tx.change("UPDATE settings SET value = 'x' WHERE name <> ?", ["none"]));
    await tx.run(insertName, ["c"]);
    counts.push(await tx.change("DELETE FROM settings WHERE name = ?", ["c"]));
    await tx.run("DELETE FROM settings WHERE name = ?", ["a"]);
    await tx.run(insertName, ["a"]);
    await count();
    return counts;
  });
  expect(seen).toEqual([2, 2, 1, 2]);
  expect(await port.names()).toEqual(["a", "b"]);
});

test("a statement that is refused fails its command, which leaves nothing", async () => {
  const twice = port.database.write(async (tx) => {
    await tx.run(insertName, ["a"]);
    await tx.run(insertName, ["a"]);
    return "done";
  });
  await expect(twice).rejects.toThrow(/unique/i);
  await expect(twice).rejects.not.toMatchObject({ kind: "unavailable" });
  expect(await port.names()).toEqual([]);
});

test("a statement that is refused in a part fails the part, if the part waits for it", async () => {
  await port.database.write(async (tx) => {
    await tx.run(insertName, ["a"]);
    const part = tx.nested(async (within) => {
      await within.run(insertName, ["b"]);
      await within.change(insertName, ["a"]);
    });
    await expect(part).rejects.toThrow(/unique/i);
    await tx.run(insertName, ["c"]);
  });
  expect(await port.names()).toEqual(["a", "c"]);
});
