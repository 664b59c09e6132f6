import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { request as requestHttps } from "node:https";
import { makeCertificate } from "./support/certificate.ts";
import { frame, sendRaw } from "./support/http.ts";
import { startTestServer, type TestServer, token } from "../../sites/rpc/support/server.ts";

describe("one port with TLS", () => {
  const { cert: ca, key } = makeCertificate();
  let secure: TestServer;
  beforeAll(async () => {
    secure = await startTestServer({ tls: { cert: ca, key } });
  });
  afterAll(() => secure.stop());

  test("speaks HTTP/2 and HTTP/1.1 by ALPN", async () => {
    const session = connectHttp2(secure.url, { ca });
    const stream = session.request({ ":path": "/healthz" });
    const [headers] = await once(stream, "response");
    expect([session.alpnProtocol, headers[":status"]]).toEqual(["h2", 200]);
    session.destroy();
    const [response] = await once(
      requestHttps(`${secure.url}/healthz`, { ca, agent: false }).end(),
      "response",
    );
    expect([response.httpVersion, response.statusCode]).toEqual(["1.1", 200]);
    response.resume();
  });

  test("serves gRPC", async () => {
    const session = connectHttp2(secure.url, { ca });
    const stream = session.request({
      ":method": "POST",
      ":path": "/test.v1.KindsService/Echo",
      authorization: token,
      "content-type": "application/grpc",
    });
    stream.end(frame(new Uint8Array(0)));
    stream.resume();
    const [trailers] = await once(stream, "trailers");
    session.destroy();
    expect(trailers["grpc-status"]).toBe("0");
  });

  test("survives clear text and stops", async () => {
    await sendRaw(secure.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const session = connectHttp2(secure.url, { ca });
    await once(session, "connect");
    const other = await startTestServer({
      tls: { cert: ca, key },
      limits: { stopTimeoutMs: 500 },
    });
    const idle = connectHttp2(other.url, { ca });
    idle.on("error", () => {});
    await once(idle, "connect");
    await other.stop();
    session.destroy();
    expect(secure.port).toBeGreaterThan(0);
  });
});
