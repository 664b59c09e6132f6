import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { GroupService } from "../../gen/gatehouse/v1/group_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import type { Call } from "../kernel/base/call.ts";
import { fieldsInvalid } from "../kernel/base/problem.ts";
import type { FeatureContext } from "../identity/context.ts";
import { createGroupServiceCommands } from "../identity/group-service/commands.ts";
import { createGroupService } from "../identity/group-service/rpc.ts";
import { createProjectCommands } from "../identity/projects/commands.ts";
import { createProjectService } from "../identity/projects/rpc.ts";
import { createFieldRules } from "../sites/rpc/calls/field-rules/field-rules.ts";

/**
 * Does what an rpc does, in the write of the call, by all rules of the contract but that of the caller's permission. Raises what the rpc
 * raises, and FIELD_INVALID.
 */
export type Order = <I extends DescMessage, O extends DescMessage>(
  call: Call,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
) => Promise<MessageInitShape<O>>;

/** Creates what gives orders to the services that an import needs. */
export function createOrder(context: FeatureContext): Order {
  const services = [
    createProjectService(createProjectCommands(context), context),
    createGroupService(createGroupServiceCommands(context), context),
  ];
  const rules = createFieldRules(
    [ProjectService, GroupService].flatMap(({ methods }) => methods.map(({ input }) => input)),
  );
  return async <I extends DescMessage, O extends DescMessage>(
    call: Call,
    method: DescMethodUnary<I, O>,
    init: MessageInitShape<I>,
  ) => {
    const rpc = services.find(({ service }) => service === method.parent)?.rpcs[method.localName];
    if (rpc === undefined || !("run" in rpc)) throw new Error(`no import orders ${method.name}`);
    const request: MessageShape<I> = create(method.input, init);
    const violations = [...rules.check(method.input, request), ...(rpc.check?.(request) ?? [])];
    if (violations.length > 0) throw fieldsInvalid(violations);
    return (await rpc.run(call, request)) as MessageInitShape<O>; // it is the rpc of the method
  };
}
