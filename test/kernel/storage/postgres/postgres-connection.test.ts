import { expect, test } from "@jest/globals";
import { Client } from "pg";
import { PostgresConnection } from "../../../../src/kernel/storage/postgres/postgres-connection.ts";

test("a warning counts in every language of the server", () => {
  const client = new Client();
  const connection = new PostgresConnection({ client, timeline: 1 });
  for (const severity of ["WARNING", "WARNUNG"]) {
    const before = connection.warnings;
    client.emit("notice", { severity, code: "01000" });
    expect(connection.warnings).toBe(before + 1);
  }
});
