// Before the first test of the tier `postgres`: starts a server of its own, which ends with jest whatever happens, unless
// GATEHOUSE_TEST_DATABASE names one on which databases may be created (`postgres://role@host:port/postgres`).
import {
  createPostgresServer,
  findPostgres,
  makePostgresFolder,
} from "../../test/support/postgres-cluster.ts";

// Durability is what other tests ask for: the folder is in memory where there is room.
const settings = {
  max_connections: 400,
  shared_buffers: "128MB",
  max_wal_size: "256MB",
  // Whether statistics are taken in the middle of a test depends on how long it takes, and plans depend on them.
  autovacuum_naptime: "1d",
};

export default async function startServer() {
  if (process.env["GATEHOUSE_TEST_DATABASE"] !== undefined) return;
  const programs = findPostgres();
  const folder = makePostgresFolder(programs);
  const server = await createPostgresServer(programs, folder, { settings });
  globalThis.postgresFolder = folder; // for stop-server.mjs
  process.env["GATEHOUSE_TEST_DATABASE"] = server.url();
}
