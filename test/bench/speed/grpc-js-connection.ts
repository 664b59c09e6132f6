import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import type { Connection, Requests } from "./http2-connection.ts";

/** The flags and the length in front of a gRPC message, which the client writes itself. */
const prefixBytes = 5;

/** Opens a client of @grpc/grpc-js, as services have one. It decodes every answer. */
export function openGrpcJsConnection(
  { url, path, authorizations }: Requests,
  output: DescMessage,
): Connection {
  const client = new Client(url.host, credentials.createInsecure());
  const metadata = authorizations.map((authorization) => {
    const own = new Metadata();
    own.set("authorization", authorization);
    return own;
  });
  const serialize = (bytes: Buffer) => bytes;
  const deserialize = (bytes: Buffer) => fromBinary(output, bytes);
  return {
    send(body, done, caller = 0) {
      const own = metadata[caller % metadata.length] ?? new Metadata();
      client.makeUnaryRequest(path, serialize, deserialize, body.subarray(prefixBytes), own, (error) =>
        done(error === null),
      );
    },
    close: () => client.close(),
  };
}
