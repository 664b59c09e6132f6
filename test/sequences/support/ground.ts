import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import Sqlite from "better-sqlite3";
import { join } from "node:path";
import type { SqlValue } from "../../../src/kernel/base/database.ts";
import type { HttpAnswer } from "../../support/http-client.ts";
import { startService, type TestService } from "../../support/service.ts";

/** How a call ended. A refusal has the reason, which the test prints. */
export type Answer =
  | { readonly isDone: true; readonly json: JsonObject }
  | { readonly isDone: false; readonly reason: string };

/** A service whose data can be put back to what they were, in milliseconds. */
export interface Ground {
  readonly service: TestService;
  /** Calls over JSON, without notes for the search at the end: there are thousands of calls. */
  call(method: DescMethodUnary, body: JsonObject, how: CallAs): Promise<Answer>;
  /** Sends a form, and returns the JSON of the answer; empty for anything but success. */
  post(
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<JsonObject>;
  send(path: string, headers?: Readonly<Record<string, string>>): Promise<HttpAnswer>;
  /** Remembers everything that is stored. */
  keep(): Promise<void>;
  /** Puts everything back that has changed since. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** With which token, and on which organization. */
export interface CallAs {
  readonly token: string;
  readonly organizationId?: string | undefined;
}

/** Starts the service. */
export async function startGround(): Promise<Ground> {
  const service = await startService({ dev: true }, { isSweepOff: true }); // providers of tests are on loopback
  const connection = new Sqlite(join(service.place.folder, "gatehouse.db"), { readonly: true });
  const tables = openTables(connection);
  let kept: readonly Rows[] = [];
  let keptMs = service.clock.nowMs();
  return {
    service,
    async call(method, body, { token, organizationId }) {
      const { status, text } = await service.http.send({
        method: "POST",
        path: `/${method.parent.typeName}/${method.name}`,
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${token}`,
          ...(organizationId === undefined ? {} : { "x-service-orgid": organizationId }),
        },
        body: JSON.stringify(body),
      });
      const json = JSON.parse(text) as JsonObject; // every answer is JSON
      return status === 200 ? { isDone: true, json } : { isDone: false, reason: reasonOf(json) };
    },
    async post(path, form, headers = {}) {
      const { status, text } = await service.http.send({
        method: "POST",
        path,
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams(form).toString(),
      });
      return status === 200 && text.startsWith("{") ? (JSON.parse(text) as JsonObject) : {};
    },
    send: (path, headers = {}) => {
      const host = `localhost:${service.port}`;
      return service.http.send({ method: "GET", path, headers: { host, ...headers } });
    },
    async keep() {
      kept = tables.map((table) => table.read());
      keptMs = service.clock.nowMs();
    },
    async reset() {
      service.clock.turn(keptMs - service.clock.nowMs());
      const statements = tables.flatMap((table, index) =>
        undo(table, kept[index] ?? new Map(), table.read()),
      );
      await service.context.database.write(async (tx) => {
        await tx.run("PRAGMA defer_foreign_keys = ON");
        for (const [sql, values] of statements) await tx.run(sql, values);
      });
    },
    async stop() {
      connection.close();
      await service.stop();
    },
  };
}

function reasonOf(json: JsonObject): string {
  const [info] = (json["details"] ?? []) as readonly JsonObject[]; // google.rpc.Status
  return JSON.stringify(info?.["reason"] ?? json["message"]);
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  read(): Rows;
}

/** Rows by their keys. */
type Rows = ReadonlyMap<string, { readonly text: string; readonly values: readonly SqlValue[] }>;

/** Reads from the file with statements that are prepared once: most of the time of a reset would go there. */
function openTables(connection: Sqlite.Database): readonly Table[] {
  const names = connection
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all();
  return names.map(({ name }) => {
    const columns = connection
      .prepare<[string], { name: string; pk: number }>("SELECT name, pk FROM pragma_table_info(?)")
      .all(name);
    const key = columns.filter(({ pk }) => pk > 0).toSorted((left, right) => left.pk - right.pk);
    const literals = (of: typeof columns) =>
      of.map((column) => `quote("${column.name}")`).join(" || ',' || ");
    const select = connection
      .prepare<[], readonly SqlValue[]>(`SELECT ${literals(key)}, ${literals(columns)}, * FROM ${name}`)
      .raw();
    return {
      name,
      columns: columns.map((column) => column.name),
      key: key.map((column) => column.name),
      read: () =>
        new Map(select.all().map(([id, text, ...values]) => [String(id), { text: String(text), values }])),
    };
  });
}

type Statement = readonly [sql: string, values: readonly SqlValue[]];

/** Returns what makes a table what it was. Rows are changed in place, because a deletion may take others along. */
function undo({ name, columns, key }: Table, before: Rows, now: Rows): readonly Statement[] {
  const keyOf = (values: readonly SqlValue[]) => key.map((column) => values[columns.indexOf(column)] ?? null);
  const where = key.map((column) => `"${column}" = ?`).join(" AND ");
  const set = columns.map((column) => `"${column}" = ?`).join(", ");
  const added = [...now].filter(([id]) => !before.has(id));
  return [
    ...added.map(([, { values }]): Statement => [`DELETE FROM ${name} WHERE ${where}`, keyOf(values)]),
    ...[...before].flatMap(([id, { text, values }]): readonly Statement[] => {
      const current = now.get(id);
      if (current?.text === text) return [];
      if (current === undefined)
        return [
          // Watches are not told of plain inserts into some tables.
          [`DELETE FROM ${name} WHERE ${where}`, keyOf(values)],
          [`INSERT INTO ${name} VALUES (${columns.map(() => "?").join(", ")})`, values],
        ];
      return [[`UPDATE ${name} SET ${set} WHERE ${where}`, [...values, ...keyOf(values)]]];
    }),
  ];
}
