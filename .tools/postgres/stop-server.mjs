// After the last test of the tier `postgres`: ends the server that start-server.mjs has started.
export default async function stopServer() {
  await globalThis.postgresFolder?.remove();
}
