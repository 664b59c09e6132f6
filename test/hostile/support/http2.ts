import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { answerTimeoutMs, type HostileAnswer, type HostileRequest, noAnswer } from "./exchange.ts";
import type { HostileClient, Target } from "./http1.ts";

/** A client of HTTP/2 with one session, which is opened again when the service ends it. */
export function createHttp2Client(target: Target): HostileClient {
  let session: ClientHttp2Session | undefined;
  const current = (): ClientHttp2Session => {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    session = open(target);
    return session;
  };
  return {
    async send(request) {
      for (let attempt = 0; ; attempt++) {
        const answer = await exchange(current(), target, request);
        // A session may end at any moment, for what an earlier request did; then the request is sent again on a new one.
        if (answer.status !== 0 || answer.isLate || attempt === 2) return answer;
        if (session?.closed !== true && session?.destroyed !== true) return answer;
      }
    },
    close: () => session?.destroy(),
  };
}

function open({ host, port, certificate }: Target): ClientHttp2Session {
  const session =
    certificate === undefined
      ? connect(`http://${host}:${port}`)
      : connect(`https://${host}:${port}`, { ca: certificate, checkServerIdentity: () => undefined });
  return session.on("error", () => undefined); // the streams hear of it
}

function exchange(
  session: ClientHttp2Session,
  { host, port }: Target,
  request: HostileRequest,
): Promise<HostileAnswer> {
  return new Promise((resolve) => {
    let answer = noAnswer;
    let isWhole = false;
    const parts: Buffer[] = [];
    try {
      const stream = session.request(toHeaders(request, `${host}:${port}`), {
        endStream: request.body.length === 0,
      });
      const timer = setTimeout(() => {
        answer = { ...answer, isLate: true };
        stream.close(constants.NGHTTP2_CANCEL);
      }, answerTimeoutMs);
      stream.on("response", (headers) => {
        answer = { ...answer, status: Number(headers[":status"]), headers: plain(headers) };
      });
      stream.on("trailers", (trailers) => {
        answer = { ...answer, trailers: plain(trailers) };
      });
      stream.on("data", (chunk: Buffer) => parts.push(chunk));
      stream.on("end", () => {
        isWhole = true;
      });
      stream.on("error", () => undefined); // "close" follows
      stream.on("close", () => {
        clearTimeout(timer);
        resolve({ ...answer, body: Buffer.concat(parts), isCut: !isWhole || answer.status === 0 });
      });
      if (request.body.length > 0) stream.end(request.body);
    } catch (error) {
      // What the client itself cannot write is nothing that the service was asked.
      resolve({ ...noAnswer, headers: { unsent: String(error) } });
    }
  });
}

/** HTTP/2 takes repeated headers as a list, and none of those that belong to a connection. */
function toHeaders({ verb, path, headers, body }: HostileRequest, authority: string) {
  const all = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (!ofConnection.has(key)) all.set(key, [...(all.get(key) ?? []), value]);
  }
  const host = all.get("host")?.[0];
  all.delete("host");
  const regular = [...all].map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
  return {
    ":method": verb,
    ":path": path,
    ":authority": host ?? authority,
    ...(body.length === 0 || all.has("content-length") ? {} : { "content-length": String(body.length) }),
    ...Object.fromEntries(regular),
  };
}

const ofConnection = new Set(["connection", "transfer-encoding", "keep-alive", "upgrade", "http2-settings"]);

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : String(value),
    ]),
  );
}
