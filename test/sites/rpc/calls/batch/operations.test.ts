import { describe, expect, test } from "@jest/globals";
import { getOption } from "@bufbuild/protobuf";
import { AddProjectRequestSchema } from "../../../../../gen/gatehouse/v1/project_service_pb.ts";
import { WriteItemSchema } from "../../../../../gen/gatehouse/v1/batch_service_pb.ts";
import { Effect, effect } from "../../../../../gen/gatehouse/v1/effect_pb.ts";
import type { Rpc, ServiceImplementation } from "../../../../../src/identity/rpc.ts";
import { createOperations } from "../../../../../src/sites/rpc/calls/batch/operations.ts";
import { listServices } from "../../../../support/methods.ts";

const run: Rpc["run"] = async () => ({});
const described = await listServices();

/** Returns every service with rpcs that do nothing, but for those that are left out. */
function implement(leftOut: readonly string[] = []): readonly ServiceImplementation[] {
  return described.map((service) => {
    const own = service.methods.filter(({ name }) => !leftOut.includes(name));
    return { service, rpcs: Object.fromEntries(own.map(({ localName }) => [localName, { run }])) };
  });
}

describe("the operations of a batch", () => {
  test("are found by the field of their request, each with its rpc, rule and effect", () => {
    const operations = createOperations(implement());
    const fields = WriteItemSchema.oneofs.flatMap((oneof) => oneof.fields);
    expect([...operations.keys()]).toEqual(fields.map(({ localName }) => localName));
    for (const field of fields) {
      const operation = operations.get(field.localName);
      expect(operation?.descriptor.input).toBe(field.message);
      expect(operation?.effect).toBe(operation && getOption(operation.descriptor, effect));
      expect([Effect.ADD, Effect.CHANGE, Effect.CHANGE_SEVERAL]).toContain(operation?.effect);
    }
    expect(operations.get("addProject")).toMatchObject({
      descriptor: { name: "AddProject", input: AddProjectRequestSchema },
      field: { name: "add_project", localName: "addProject" },
      effect: Effect.ADD,
    });
  });

  test("are refused at the start when a field has no rpc", () => {
    expect(() => createOperations(implement(["AddProject"]))).toThrow(
      "the item add_project of a batch has no rpc",
    );
    expect(() => createOperations([])).toThrow("has no rpc");
  });

  test("are refused at the start when a field has an rpc that streams", () => {
    const services = implement().map(({ service, rpcs }) => ({
      service,
      rpcs: { ...rpcs, ...("addProject" in rpcs ? { addProject: { open: () => never() } } : {}) },
    }));
    expect(() => createOperations(services)).toThrow("the item add_project of a batch has no rpc");
  });
});

async function* never(): AsyncGenerator<never> {}
