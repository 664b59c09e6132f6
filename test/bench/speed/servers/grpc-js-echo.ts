/** A bare @grpc/grpc-js server that answers AddUserGrant and does nothing for it: what everything else is compared with. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall } from "@grpc/grpc-js";
import {
  type AddUserGrantRequest,
  AddUserGrantRequestSchema,
  type AddUserGrantResponse,
  AddUserGrantResponseSchema,
} from "../../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { echoOf } from "./echo.ts";

const server = new Server();
server.addService(
  {
    AddUserGrant: {
      path: "/gatehouse.v1.UserGrantService/AddUserGrant",
      requestStream: false,
      responseStream: false,
      requestSerialize: (message: AddUserGrantRequest) =>
        Buffer.from(toBinary(AddUserGrantRequestSchema, message)),
      requestDeserialize: (bytes: Buffer) => fromBinary(AddUserGrantRequestSchema, bytes),
      responseSerialize: (message: AddUserGrantResponse) =>
        Buffer.from(toBinary(AddUserGrantResponseSchema, message)),
      responseDeserialize: (bytes: Buffer) => fromBinary(AddUserGrantResponseSchema, bytes),
    },
  },
  {
    AddUserGrant(
      call: ServerUnaryCall<AddUserGrantRequest, AddUserGrantResponse>,
      answer: sendUnaryData<AddUserGrantResponse>,
    ) {
      answer(null, create(AddUserGrantResponseSchema, echoOf(call.request)));
    },
  },
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`ready on http://127.0.0.1:${port}\n`);
});
