import { create, toBinary } from "@bufbuild/protobuf";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { AddProjectRequestSchema, ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { frame } from "../../kernel/http/support/http.ts";
import { callGrpc, createGrpcClient, readStatus } from "../../sites/rpc/support/rpc.ts";

/** How each call of a burst ended: `OK`, or the reason of the refusal. */
export type Endings = ReadonlyMap<string, string>;

/** Clients with connections of their own, whose calls all come at once. */
export interface Crowd {
  /** How many calls a burst has. */
  readonly size: number;
  /** Adds projects, each with a name of its own that begins with `prefix`. */
  burst(prefix: string): Promise<Endings>;
  close(): void;
}

const grpcClients = 4;
const sessions = 10;
/** Below what a connection may have under way, so that none waits in its client. */
const callsEach = 120;

/** Returns clients of grpc-js, and connections of bare HTTP/2. */
export function gatherCrowd(url: string, token: string): Crowd {
  const port = Number(new URL(url).port);
  const clients = Array.from({ length: grpcClients }, () =>
    createGrpcClient(port, { "grpc.use_local_subchannel_pool": 1 }),
  );
  const connections = Array.from({ length: sessions }, () => connectHttp2(url));
  const authorization = `Bearer ${token}`;
  const senders = [
    ...clients.map((client) => async (name: string) => {
      const method = ProjectService.method.addProject;
      const { error, status } = await callGrpc(client, method, { name }, { metadata: { authorization } });
      return error === undefined ? "OK" : reasonOf(status?.details);
    }),
    ...connections.map((session) => (name: string) => send(session, authorization, name)),
  ];
  return {
    size: senders.length * callsEach,
    async burst(prefix) {
      const names = senders.flatMap((sender, client) =>
        Array.from({ length: callsEach }, (_each, index) => ({
          sender,
          name: `${prefix} ${client} ${index}`,
        })),
      );
      const ended = await Promise.all(
        names.map(async ({ sender, name }) => [name, await sender(name)] as const),
      );
      return new Map(ended);
    },
    close() {
      for (const client of clients) client.close();
      for (const session of connections) session.destroy();
    },
  };
}

/** Makes a call of gRPC without a library of gRPC. */
function send(session: ClientHttp2Session, authorization: string, name: string): Promise<string> {
  return new Promise((resolve) => {
    const stream = session.request({
      ":method": "POST",
      ":path": "/gatehouse.v1.ProjectService/AddProject",
      "content-type": "application/grpc",
      te: "trailers",
      authorization,
    });
    let ending = "no answer";
    const read = (headers: Readonly<Record<string, unknown>>): void => {
      if (headers["grpc-status"] === "0") ending = "OK";
      else if (headers["grpc-status"] !== undefined)
        ending = reasonOf(
          readStatus(Buffer.from(String(headers["grpc-status-details-bin"]), "base64")).details,
        );
    };
    stream.on("response", read).on("trailers", read);
    stream.on("error", (error) => (ending = String(error)));
    stream.on("close", () => resolve(ending));
    stream.resume();
    stream.end(frame(toBinary(AddProjectRequestSchema, create(AddProjectRequestSchema, { name }))));
  });
}

function reasonOf(details: readonly unknown[] = []): string {
  return details.map((detail) => (detail as { reason?: string }).reason).find(Boolean) ?? "no reason";
}
