import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { send, sendRaw, statusSummary, summary } from "./support/http.ts";
import { dataOf, encodeFrame, encodeHeaders, flag, openRawSession, type } from "./support/http2-frames.ts";
import { startTestServer, token, type TestServer } from "./support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ limits: { maxBufferedBytes: 10_000 } });
  server.answers.set("addProject", () => ({ id: "1" }));
});
afterAll(() => server.stop());

const post = (name: string) => send(`${server.url}/v1/projects`, { json: { name } });

test("bodies that together are more than the process may hold are refused, and room that was taken is given back", async () => {
  for (let round = 0; round < 3; round++)
    expect(summary(await post("x".repeat(20_000)))).toMatchObject({ status: 503, reason: "OVERLOADED" });
  for (let round = 0; round < 3; round++) expect((await post("x".repeat(100))).status).toBe(200);
});

test.each([
  ["a good one and a bad one", token, "Bearer bad"],
  ["a bad one and a good one", "Bearer bad", token],
  ["the same one twice", token, token],
])("a request with two authorization headers, %s, is let in by neither", async (_what, first, second) => {
  const before = server.calls.length;
  const body = '{"name":"x"}';
  const answer = await sendRaw(
    server.port,
    `POST /v1/projects HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: ${first}\r\nAuthorization: ${second}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);

  const session = await openRawSession(server.port);
  const target = { ":method": "POST", ":scheme": "http", ":path": "/v1/projects", ":authority": "a" };
  const headers = [target, { authorization: first }, { authorization: second }];
  const block = Buffer.concat(headers.map((each) => encodeHeaders(each)));
  await session.write(encodeFrame(type.headers, flag.endHeaders | flag.endStream, 1, block));
  expect(statusSummary(JSON.parse(await dataOf(session, 1)))).toEqual({ code: 16, reason: "TOKEN_INVALID" });
  session.socket.destroy();
  expect(server.calls).toHaveLength(before);
});
