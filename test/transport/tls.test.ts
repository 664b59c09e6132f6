import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { request as requestHttps } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { frame, sendRaw } from "./support/http.ts";
import { startTestServer, type TestServer, token } from "./support/server.ts";

describe("one port with TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-tls-"));
  let secure: TestServer;
  let ca: Buffer;
  beforeAll(async () => {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-keyout",
        key,
        "-out",
        cert,
        "-days",
        "2",
        ...subject,
      ],
      { stdio: "ignore" },
    );
    ca = readFileSync(cert);
    secure = await startTestServer({ tls: { cert: ca, key: readFileSync(key) } });
  });
  afterAll(async () => {
    await secure.stop();
    rmSync(folder, { recursive: true });
  });

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
      tls: { cert: ca, key: readFileSync(join(folder, "key.pem")) },
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
