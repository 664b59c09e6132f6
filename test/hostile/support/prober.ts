/**
 * An ordinary caller, in a process of its own: at a fixed rate it reads its project and adds projects, on connections that
 * it keeps, and notes how long each answer takes. It is told over IPC when a window begins and when it ends.
 */
import { Agent, request as createRequest } from "node:http";

/** What the prober answers at the end of a window. */
export interface ProbeWindow {
  /** Milliseconds from sending to the end of the answer, of every call of the window. */
  readonly latenciesMs: readonly number[];
  /** What was no success. */
  readonly failures: readonly string[];
}

export interface ProberSetup {
  readonly url: string;
  readonly token: string;
  readonly projectId: string;
  readonly callsPerSecond: number;
}

const setup = JSON.parse(process.argv[2] ?? "") as ProberSetup; // what the parent wrote
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let latenciesMs: number[] = [];
let failures: string[] = [];
let timer: NodeJS.Timeout | undefined;
let counter = 0;
let underWay = 0;

function call(): void {
  counter++;
  const isWrite = counter % 3 === 0;
  const body = isWrite ? JSON.stringify({ name: `Probe ${process.pid} ${counter}` }) : undefined;
  const path = isWrite ? "/v1/projects" : `/v1/projects/${setup.projectId}`;
  const startedMs = performance.now();
  underWay++;
  const done = (failure?: string) => {
    underWay--;
    latenciesMs.push(performance.now() - startedMs);
    if (failure !== undefined) failures.push(failure);
  };
  const request = createRequest(setup.url + path, {
    agent,
    method: isWrite ? "POST" : "GET",
    headers: {
      authorization: `Bearer ${setup.token}`,
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    },
  });
  request.on("response", (response) => {
    response
      .resume()
      .on("end", () => done(response.statusCode === 200 ? undefined : `HTTP ${response.statusCode}`));
  });
  request.on("error", (error) => done(String(error)));
  request.end(body);
}

function report(): void {
  if (underWay > 0) {
    setTimeout(report, 5);
    return;
  }
  process.send?.({ latenciesMs, failures } satisfies ProbeWindow);
}

process.on("message", (message) => {
  if (message === "begin") {
    latenciesMs = [];
    failures = [];
    timer = setInterval(call, 1000 / setup.callsPerSecond);
    process.send?.({});
  } else {
    clearInterval(timer);
    report();
  }
});
