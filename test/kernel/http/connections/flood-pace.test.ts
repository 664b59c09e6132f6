import { afterEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { createFloodPace } from "../../../../src/kernel/http/connections/flood-pace.ts";
import { makeCertificate } from "../support/certificate.ts";
import { encodeFrame, flag, openRawSession, type } from "../support/http2-frames.ts";
import { startTestServer, type TestServer } from "../../../sites/rpc/support/server.ts";
import { openRaw } from "../support/sockets.ts";

const ping = encodeFrame(type.ping, flag.none, 0, Buffer.alloc(8));

describe("the pace of new connections", () => {
  /** Returns who has entered at once, of those who come in this order. */
  function admitted(
    pauseMs: number,
    suspects: readonly string[],
    coming: readonly string[],
  ): readonly string[] {
    const pace = createFloodPace(pauseMs);
    for (const address of suspects) pace.suspect(address);
    const entered: string[] = [];
    for (const address of coming) pace.admit(address, () => entered.push(address));
    return [...entered];
  }

  test("is none for those who never flooded", () => {
    expect(admitted(5000, ["192.0.2.1"], ["192.0.2.2", "192.0.2.2", "2001:db8::1"])).toEqual([
      "192.0.2.2",
      "192.0.2.2",
      "2001:db8::1",
    ]);
  });

  test("is that of the address, and on IPv6 that of its 64 bits", () => {
    const flooders = ["192.0.2.1", "2001:db8:0:1::1", "::ffff:192.0.2.9"];
    expect(admitted(5000, flooders, ["192.0.2.1", "2001:db8:0:1:ffff::2", "2001:db8::1:0:0:2"])).toEqual([
      "2001:db8::1:0:0:2",
    ]);
    expect(admitted(5000, flooders, ["::ffff:192.0.2.9", "::ffff:192.0.2.8"])).toEqual(["::ffff:192.0.2.8"]);
  });

  test("is none without a pause, and for a connection whose address is gone", () => {
    expect(admitted(0, ["192.0.2.1"], ["192.0.2.1"])).toEqual(["192.0.2.1"]);
  });

  test("lets in one after the other, in the order in which they came", async () => {
    const pace = createFloodPace(10);
    pace.suspect("192.0.2.1");
    const entered: number[] = [];
    await Promise.all(
      Array.from(
        { length: 5 },
        (_, index) =>
          new Promise<void>((resolve) => {
            pace.admit("192.0.2.1", () => {
              entered.push(index);
              resolve();
            });
          }),
      ),
    );
    expect(entered).toEqual([0, 1, 2, 3, 4]);
  });
});

describe.each(["clear text", "TLS"])("in %s, after a flood", (kind) => {
  const tls = kind === "TLS" ? makeCertificate() : undefined;
  let server: TestServer;
  afterEach(() => server.stop());

  const open = (): Socket =>
    tls === undefined
      ? connect(server.port, "127.0.0.1")
      : connectTls({ port: server.port, host: "127.0.0.1", ca: tls.cert, ALPNProtocols: ["h2"] });
  const openSession = async () => {
    const socket = open();
    await once(socket, tls === undefined ? "connect" : "secureConnect");
    return await openRawSession(server.port, [], socket);
  };

  /** Sends PING until the connection ends. */
  async function flood(): Promise<void> {
    const session = await openSession();
    while (!session.socket.destroyed) await session.write(...Array.from({ length: 3000 }, () => ping));
  }

  test("new connections wait, and those that are open do not", async () => {
    server = await startTestServer({ limits: { floodPauseMs: 60_000 }, tls });
    const before = await openSession();
    await flood();
    let hasEntered = false;
    const late = open().once(tls === undefined ? "data" : "secureConnect", () => (hasEntered = true));
    late.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    const pongs = () => before.frames.filter((frame) => frame.type === type.ping).length;
    for (let round = 1; round <= 50; round++) {
      await before.write(ping);
      await before.received(() => pongs() >= round);
    }
    expect([pongs(), hasEntered]).toEqual([50, false]);
    for (const socket of [before.socket, late]) socket.destroy();
  });

  test("a stop does not wait for those who wait", async () => {
    server = await startTestServer({ limits: { floodPauseMs: 60_000 }, tls });
    await flood();
    const waiting = await openRaw(server.port, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    await server.stop();
    expect(await waiting.closed).toBe("");
  });
});
