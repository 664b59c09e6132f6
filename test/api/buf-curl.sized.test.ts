import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { create, createRegistry, type JsonObject, toJson } from "@bufbuild/protobuf";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../gen/google/rpc/status_pb.ts";
import type { ErrorStatus } from "../support/clients.ts";
import { startService, type TestService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { createWorld, idOf, uniqueName, type World } from "../support/world.ts";
import { normalize, statusOf } from "./support/lanes.ts";

const root = join(import.meta.dirname, "../..");
const buf = join(root, "node_modules/.bin/buf");

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
});
afterAll(() => service.stop());

interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What buf prints of an error: the shape of Connect, whatever the protocol. */
interface PrintedError {
  readonly code: string;
  readonly message: string;
  readonly details: readonly { readonly type: string; readonly value: string }[];
}

const registry = createRegistry(file_google_rpc_error_details);

/** Returns google.rpc.Status with the details decoded. */
function toStatus(code: number, { message, details }: PrintedError): ErrorStatus {
  const packed = details.map(({ type, value }) => ({
    typeUrl: `type.googleapis.com/${type}`,
    value: new Uint8Array(Buffer.from(value, "base64")),
  }));
  const status = create(StatusSchema, { code, message, details: packed });
  return normalize(toJson(StatusSchema, status, { registry }) as unknown as ErrorStatus);
}

/** Runs `buf curl` in the root of the repository. */
function curl(
  flags: readonly string[],
  method: string,
  request: JsonObject,
  token: string,
): Promise<Printed> {
  const args = [
    "curl",
    ...flags,
    "--header",
    `authorization: Bearer ${token}`,
    "--data",
    JSON.stringify(request),
    `${service.url}/gatehouse.v1.${method}`,
  ];
  return new Promise((resolve) => {
    const child = execFile(buf, args, { cwd: root }, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** buf asks the service for its schema where HTTP/2 lets it, and reads the protos of the repository where not. */
const ways = [
  ["gRPC with reflection over HTTP/2", ["--protocol", "grpc", "--http2-prior-knowledge"]],
  ["gRPC-web with reflection over HTTP/2", ["--protocol", "grpcweb", "--http2-prior-knowledge"]],
  ["Connect with reflection over HTTP/2", ["--protocol", "connect", "--http2-prior-knowledge"]],
  ["gRPC-web with the protos over HTTP/1.1", ["--protocol", "grpcweb", "--schema", "."]],
  ["Connect with the protos over HTTP/1.1", ["--protocol", "connect", "--schema", "."]],
] as const;

describe.each(sized<readonly (typeof ways)[number][]>({ small: ways.slice(2, 4), full: ways }))(
  "buf curl by %s",
  (_way, flags) => {
    test("performs an operation and prints its answer", async () => {
      const request = { id: world.projectId, name: uniqueName("Curled"), hasProjectCheck: true };
      const printed = await curl(flags, "ProjectService/UpdateProject", request, world.owner.token);
      expect(printed).toMatchObject({ exitCode: 0, stderr: "" });
      const { details } = JSON.parse(printed.stdout) as { details: JsonObject }; // the answer of UpdateProject
      expect(Object.keys(details)).toEqual(["sequence", "creationDate", "changeDate", "resourceOwner"]);
      expect(details["resourceOwner"]).toBe(world.organizationId);
      expect(idOf(details, "sequence")).toMatch(/^\d{16}$/);
    });

    test("prints an error with the same message and details, and exits with eight times its code", async () => {
      const request = { userId: "1", projectId: world.projectId, roleKeys: ["reader"] };
      const { exitCode, stderr } = await curl(
        flags,
        "UserGrantService/AddUserGrant",
        request,
        world.owner.token,
      );
      expect(exitCode).toBe(5 * 8);
      const printed = JSON.parse(stderr) as PrintedError;
      const over = await service.clients.json.call(UserGrantService.method.addUserGrant, request, {
        token: world.owner.token,
      });
      expect([printed.code, toStatus(5, printed)]).toEqual(["not_found", statusOf(over)]);
    });
  },
);
