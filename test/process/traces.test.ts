import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parseLog, type ServingProcess } from "../support/process.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { type Place, usePlaces } from "./support/place.ts";
import { startTraceCollector, type TraceCollector } from "./support/trace-collector.ts";

// Traces of a whole service, as a collector gets them by OTLP.

const newPlace = usePlaces();
const method = "gatehouse.v1.UserService/AddHumanUser";
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = `00-${traceId}-00f067aa0ba902b7-01`;

let collector: TraceCollector;
let mails: WebhookReceiver;
let place: Place;
let serving: ServingProcess;
beforeAll(async () => {
  collector = await startTraceCollector();
  mails = await startWebhookReceiver();
  ({ place, serving } = await serve(collector, { GATEHOUSE_TRACE_HOSTS: "elsewhere.test,127.0.0.1" }));
});
afterAll(async () => {
  await mails.stop();
  await collector.stop();
});

async function serve(to: TraceCollector, environment: Readonly<Record<string, string>>) {
  const made = newPlace();
  const args = [
    "--dev",
    "--log-level",
    "debug",
    "--mail-provider",
    "webhook",
    "--mail-webhook-url",
    mails.url,
  ];
  const started = await made.serve(args, {
    GATEHOUSE_MAIL_WEBHOOK_SECRET: "a secret of this test",
    OTEL_EXPORTER_OTLP_ENDPOINT: to.url,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    ...environment,
  });
  return { place: made, serving: started };
}

/** Adds a user with a name that must be in no span, and returns it. */
async function addUser(at: { readonly place: Place; readonly serving: ServingProcess }, headers = {}) {
  const name = `zebra${crypto.randomUUID()}`;
  const { url } = at.serving;
  const own = await fetch(`${url}/v1/users/me`, {
    headers: { authorization: `Bearer ${at.place.adminToken()}` },
  });
  const { user } = (await own.json()) as { user: { details: { resourceOwner: string } } };
  const answer = await fetch(`${url}/v1/users/human`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${at.place.adminToken()}`,
      "content-type": "application/json",
      "x-service-orgid": user.details.resourceOwner,
      baggage: `who=${name}`,
      tracestate: `who=${name}`,
      ...headers,
    },
    body: JSON.stringify({
      username: name,
      givenName: name,
      familyName: name,
      email: `${name}@example.com`,
      sendCode: {},
    }),
  });
  expect(await answer.json()).toHaveProperty("userId");
  return name;
}

test("a call goes on in the trace of its caller, with its commit, what it sends and its log lines", async () => {
  await addUser({ place, serving }, { traceparent: parent });
  const call = await collector.find((span) => span.traceId === traceId && span.kind === 2);
  expect(call).toMatchObject({
    name: method,
    parentSpanId: "00f067aa0ba902b7",
    status: 0,
    attributes: { "rpc.method": method, "gatehouse.code": "0" },
  });
  expect(call.nanoseconds > 0n && call.nanoseconds < 60_000_000_000n).toBe(true);
  const commit = await collector.find((span) => span.traceId === traceId && span.name === "commit");
  expect([commit.parentSpanId, commit.kind]).toEqual([call.spanId, 1]);
  const sent = await collector.find((span) => span.traceId === traceId && span.kind === 3);
  expect(sent).toMatchObject({
    name: "POST",
    parentSpanId: call.spanId,
    attributes: { "http.request.method": "POST", "http.response.status_code": "204" },
  });
  const [mail] = await mails.got(1);
  expect(mail?.headers.traceparent).toBe(`00-${traceId}-${sent.spanId}-01`);
  expect([mail?.headers["baggage"], mail?.headers["tracestate"]]).toEqual([undefined, undefined]);
  const lines = parseLog(serving.stderr()).filter((line) => line["method"] === method);
  expect(lines).toEqual([expect.objectContaining({ trace_id: traceId, span_id: call.spanId })]);
});

test("without a valid token the trace of the caller is not followed", async () => {
  const headers = { traceparent: parent.replaceAll("4", "5") };
  const strange = headers.traceparent.slice(3, 35);
  for (const authorization of [undefined, "Bearer gatehouse_pat_1_none"])
    await fetch(`${serving.url}/v1/users/me`, {
      headers: authorization === undefined ? headers : { ...headers, authorization },
    });
  await fetch(`${serving.url}/.well-known/openid-configuration`, { headers });
  const page = await collector.find(({ name }) => name === "/.well-known/openid-configuration");
  expect([page.parentSpanId, page.attributes["http.route"]]).toEqual(["", page.name]);
  const refused = await collector.find((span) => span.attributes["error.type"] === "TOKEN_INVALID");
  expect(refused).toMatchObject({ parentSpanId: "", name: "gatehouse.v1.UserService/GetMyUser" });
  expect(collector.spans.filter((span) => span.traceId === strange)).toEqual([]);
});

test("no span holds anything of a request: no path, query, header, body, name or address", async () => {
  const name = await addUser({ place, serving });
  const secrets = [name, place.adminToken(), "example.com", "127.0.0.1", "zebra"];
  for (const path of ["/zebra/page", "/v1/users/zebra", "/oauth/v2/authorize?zebra", "/login/zebra"])
    await fetch(`${serving.url}${path}`, { headers: { "user-agent": "zebra" } });
  await collector.find((span) => span.name === "unknown");
  const before = collector.spans.length;
  await fetch(`${serving.url}/readyz`);
  await collector.find((span) => collector.spans.indexOf(span) >= before);
  const text = collector.bytes().toString("latin1");
  expect(text).toContain("gatehouse.request_id");
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expect(collector.headers[0]?.["content-type"]).toBe("application/x-protobuf");
  expect(collector.resource).toMatchObject({
    "service.name": "gatehouse",
    "service.version": expect.any(String),
  });
  expect(await serving.stop()).toBe(0);
});

test("only callers with a token may ask to be recorded, hosts that no option names get no trace, and a stop waits two seconds", async () => {
  const silent = await startTraceCollector();
  silent.status = undefined;
  const before = mails.received.length;
  const started = await serve(silent, {
    OTEL_TRACES_SAMPLER: "parentbased_always_off",
    OTEL_SERVICE_NAME: "zoo",
  });
  await fetch(`${started.serving.url}/readyz`, { headers: { traceparent: parent } });
  await addUser(started, { traceparent: parent });
  await silent.find((span) => span.name === method);
  expect(silent.spans.filter((span) => span.traceId !== traceId)).toEqual([]);
  expect(silent.spans.filter(({ name }) => name === "/readyz")).toEqual([]);
  expect(silent.resource["service.name"]).toBe("zoo");
  const mail = (await mails.got(before + 1)).at(-1);
  expect(mail?.headers.traceparent).toBeUndefined();
  const beganMs = performance.now();
  expect(await started.serving.stop()).toBe(0);
  expect(performance.now() - beganMs).toBeLessThan(4000);
  expect(parseLog(started.serving.stderr()).map(({ msg }) => msg)).toContain("service.stopped");
  await silent.stop();
});

test("variables that it cannot follow end the start with one sentence", async () => {
  for (const [variables, message] of [
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, "OTEL_TRACES_EXPORTER must be otlp or none"],
    [
      { OTEL_TRACES_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf",
    ],
    [
      { OTEL_TRACES_EXPORTER: "otlp", OTEL_TRACES_SAMPLER_ARG: "2" },
      "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1",
    ],
  ] as const)
    expect(await newPlace().run(["serve"], variables)).toMatchObject({
      code: 2,
      stderr: `gatehouse: ${message}\n`,
    });
});
