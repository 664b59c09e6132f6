import type { DescMethod } from "@bufbuild/protobuf";
import { getOption } from "@bufbuild/protobuf";
import { type AccessRule, access as accessOption } from "../../../../../gen/gatehouse/v1/access_pb.ts";
import { WriteItemSchema, WriteResultSchema } from "../../../../../gen/gatehouse/v1/batch_service_pb.ts";
import { type Effect, effect as effectOption } from "../../../../../gen/gatehouse/v1/effect_pb.ts";
import type { Rpc, ServiceImplementation } from "../../../../identity/rpc.ts";

/** A call that may be an item of a batch. */
export interface Operation {
  readonly descriptor: DescMethod;
  readonly rule: AccessRule;
  readonly effect: Effect;
  readonly rpc: Rpc;
  /** Name of its field in an item and in a result, in proto and in TypeScript. */
  readonly field: { readonly name: string; readonly localName: string };
}

/**
 * Lists the operations by the field of `WriteItem` that holds their request, as TypeScript spells it. Throws for a field whose
 * request no rpc takes, or whose result is not the answer of the same rpc.
 */
export function createOperations(services: readonly ServiceImplementation[]): ReadonlyMap<string, Operation> {
  const methods = new Map(
    services.flatMap(({ service, rpcs }) =>
      service.methods.map((descriptor) => [descriptor.input.typeName, { descriptor, rpcs }] as const),
    ),
  );
  const requests = WriteItemSchema.oneofs.flatMap(({ fields }) => fields);
  return new Map(
    requests.map((field) => {
      const found = methods.get(field.message?.typeName ?? "");
      const rpc = found?.rpcs[found.descriptor.localName];
      const answer = WriteResultSchema.fields.find(({ number }) => number === field.number);
      const isPair = answer?.name === field.name && answer.message === found?.descriptor.output;
      if (found === undefined || rpc === undefined || !("run" in rpc) || !isPair)
        throw new Error(`the item ${field.name} of a batch has no rpc, or not the answer of its rpc`);
      const { descriptor } = found;
      const rule = getOption(descriptor, accessOption);
      const effect = getOption(descriptor, effectOption);
      return [field.localName, { descriptor, rule, effect, rpc, field }];
    }),
  );
}
