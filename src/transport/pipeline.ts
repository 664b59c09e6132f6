import type { DescMethod, Message } from "@bufbuild/protobuf";
import { create, getOption, hasOption } from "@bufbuild/protobuf";
import type { Call, Caller } from "../base/call.ts";
import type { Access } from "../base/permission.ts";
import type { Problem } from "../base/problem.ts";
import { fieldsInvalid, requestInvalid } from "../base/problem.ts";
import type { Rpc, ServiceImplementation, StreamRpc } from "../features/rpc.ts";
import type { AccessRule } from "../../gen/gatehouse/v1/access_pb.ts";
import { OrganizationSource, access as accessOption } from "../../gen/gatehouse/v1/access_pb.ts";
import type { Arrival, Method } from "./method.ts";
import type { FieldRules } from "./validation.ts";

/** Says who calls and what he may do. Implemented by the composition root, on top of the features. */
export interface AccessControl {
  /** Returns who the token stands for. Raises TOKEN_MISSING and TOKEN_INVALID. */
  authenticate(authorization: string | undefined): Promise<Caller>;
  /**
   * Returns what the call may touch. Raises PERMISSION_DENIED and what else permission is about. A `problem` in the
   * result is one of existence: it is raised only after the field rules passed.
   */
  authorize(input: {
    readonly rule: AccessRule;
    readonly caller: Caller;
    readonly request: Message;
    /** The value of x-service-orgid where the rule reads it; undefined when absent or empty. */
    readonly organizationId: string | undefined;
  }): Promise<{
    readonly access: Access;
    readonly problem?: Problem | undefined;
    /** Judges again, inside of the write that makes the change. */
    readonly confirm?: Call["confirm"];
  }>;
}

interface Step {
  readonly descriptor: DescMethod;
  readonly rule: AccessRule;
  readonly check: Rpc["check"];
}

/**
 * Returns the methods of the services, each with everything around it: authenticate → receive → authorize → field
 * rules → existence of the organization → run. Throws when a method has no access rule or no implementation; so a
 * mistake shows at the start.
 */
export function createPipeline(options: {
  readonly services: readonly ServiceImplementation[];
  readonly accessControl: AccessControl;
  readonly fieldRules: FieldRules;
}): readonly Method[] {
  const { accessControl, fieldRules } = options;
  return options.services.flatMap(({ service, rpcs }) =>
    service.methods.map((descriptor) => {
      if (!hasOption(descriptor, accessOption)) throw new Error(`${String(descriptor)} has no access rule`);
      const rule = getOption(descriptor, accessOption);
      if (rule.organization === OrganizationSource.UNSPECIFIED) {
        throw new Error(`${String(descriptor)} does not say where its organization comes from`);
      }
      const rpc = Object.hasOwn(rpcs, descriptor.localName) ? rpcs[descriptor.localName] : undefined;
      if (rpc === undefined) throw new Error(`${String(descriptor)} has no implementation`);
      return createMethod({ descriptor, rule, check: rpc.check }, rpc, { accessControl, fieldRules });
    }),
  );
}

interface Ports {
  readonly accessControl: AccessControl;
  readonly fieldRules: FieldRules;
}

function createMethod(step: Step, rpc: Rpc | StreamRpc, ports: Ports): Method {
  const { descriptor } = step;
  if (descriptor.methodKind === "unary" && "run" in rpc) {
    return {
      kind: "unary",
      descriptor,
      async call(arrival, receive) {
        const caller = await ports.accessControl.authenticate(arrival.header("authorization"));
        refuseConditions(arrival);
        const request = await receive();
        const call = await admit(step, ports, { arrival, caller, request });
        return create(descriptor.output, await rpc.run(call, request));
      },
    };
  }
  if (descriptor.methodKind === "server_streaming" && "open" in rpc) {
    return {
      kind: "stream",
      descriptor,
      async open(arrival, receive) {
        const caller = await ports.accessControl.authenticate(arrival.header("authorization"));
        const request = await single(receive());
        const call = await admit(step, ports, { arrival, caller, request });
        return toAnswers(descriptor, rpc.open(call, request));
      },
    };
  }
  throw new Error(`${String(descriptor)} is of a kind that its implementation does not fit`);
}

async function* toAnswers(
  { output }: DescMethod,
  inits: ReturnType<StreamRpc["open"]>,
): AsyncGenerator<Message, void, undefined> {
  for await (const init of inits) yield create(output, init);
}

/** Judges the request of a known caller and returns the call that may be made. */
async function admit(
  step: Step,
  ports: Ports,
  { arrival, caller, request }: { arrival: Arrival; caller: Caller; request: Message },
): Promise<Call> {
  const { rule } = step;
  const organizationId = readsHeader(rule) ? organizationOf(arrival.header("x-service-orgid")) : undefined;
  const { access, problem, confirm } = await ports.accessControl.authorize({
    rule,
    caller,
    request,
    organizationId,
  });
  checkFields(step, ports.fieldRules, request);
  if (problem !== undefined) throw problem;
  const { requestId, remoteAddress, deadlineMs, signal } = arrival;
  return { requestId, remoteAddress, caller, access, deadlineMs, signal, confirm };
}

const conditions = ["x-service-validate-only", "if-match", "idempotency-key"];

/** Headers that ask for less or more than the plain call. To do the call all the same would be worse than to refuse it. */
function refuseConditions(arrival: Arrival): void {
  for (const name of conditions) {
    if (arrival.header(name) !== undefined)
      throw requestInvalid(`the header ${name} is not supported yet; leave it out`);
  }
}

function readsHeader({ organization }: AccessRule): boolean {
  return organization === OrganizationSource.HEADER || organization === OrganizationSource.HEADER_OR_HELD;
}

function organizationOf(header: string | undefined): string | undefined {
  if (header?.includes(",") === true) {
    throw requestInvalid(
      "the header x-service-orgid must not be repeated, and an organization id has no comma",
    );
  }
  return header === "" ? undefined : header;
}

function checkFields(step: Step, fieldRules: FieldRules, request: Message): void {
  const broken = fieldRules.check(step.descriptor.input, request);
  const violations = step.check === undefined ? broken : [...broken, ...step.check(request)];
  if (violations.length > 0) throw fieldsInvalid(violations);
}

/** Returns the one request of a call that takes no more. Raises INVALID_REQUEST. */
export async function single(requests: AsyncIterable<Message>): Promise<Message> {
  let only: Message | undefined;
  for await (const request of requests) {
    if (only !== undefined) throw severalRequests();
    only = request;
  }
  return only ?? noRequest();
}

/** The same of requests that are there already. */
export function singleOf(requests: Iterable<Message>): Message {
  let only: Message | undefined;
  for (const request of requests) {
    if (only !== undefined) throw severalRequests();
    only = request;
  }
  return only ?? noRequest();
}

function severalRequests(): Problem {
  return requestInvalid("the call takes one message, but more than one was sent");
}

function noRequest(): never {
  throw requestInvalid("the call takes one message, but none was sent");
}
