import type { DescMethod, Message } from "@bufbuild/protobuf";
import { create, getOption, hasOption } from "@bufbuild/protobuf";
import type { AccessControl } from "../../../identity/access/access-control.ts";
import type { Call, Caller } from "../../../kernel/base/call.ts";
import type { Problem } from "../../../kernel/base/problem.ts";
import type { AssertionUse } from "../../../identity/protocol-state/assertion-uses/assertion-use.ts";
import { fieldsInvalid, requestInvalid } from "../../../kernel/base/problem.ts";
import type { Rpc, ServiceImplementation, StreamRpc } from "../../../identity/rpc.ts";
import type { AccessRule } from "../../../../gen/gatehouse/v1/access_pb.ts";
import { OrganizationSource, access as accessOption } from "../../../../gen/gatehouse/v1/access_pb.ts";
import { Effect, effect as effectOption } from "../../../../gen/gatehouse/v1/effect_pb.ts";
import type { AnswerStore } from "../../../identity/idempotency/commands.ts";
import { callConditionally } from "./conditions/conditional-call.ts";
import { type Conditions, readConditions } from "./conditions/headers.ts";
import type { Arrival, Method } from "./method.ts";
import type { FieldRules } from "./field-rules/field-rules.ts";
import { single } from "./single-request.ts";

/** What methods are made of. */
export interface PipelineOptions extends Ports {
  readonly services: readonly ServiceImplementation[];
}

interface Step {
  readonly descriptor: DescMethod;
  readonly rule: AccessRule;
  readonly effect: Effect;
  readonly check: Rpc["check"];
}

/**
 * Creates the methods of the services, each with everything around it: authenticate → use the proof → conditions → receive →
 * authorize → field rules → existence of the organization → run. The caller and the caller's permissions are checked on the state
 * at the arrival of the call or later. Throws when a method has no access rule, does not say its effect or has no implementation,
 * so that a mistake shows at the start.
 */
export function createPipeline(options: PipelineOptions): readonly Method[] {
  return options.services.flatMap(({ service, rpcs }) =>
    service.methods.map((descriptor) => {
      if (!hasOption(descriptor, accessOption)) throw new Error(`${String(descriptor)} has no access rule`);
      const rule = getOption(descriptor, accessOption);
      if (rule.organization === OrganizationSource.UNSPECIFIED) {
        throw new Error(`${String(descriptor)} does not say where its organization comes from`);
      }
      const rpc = Object.hasOwn(rpcs, descriptor.localName) ? rpcs[descriptor.localName] : undefined;
      if (rpc === undefined) throw new Error(`${String(descriptor)} has no implementation`);
      const effect = getOption(descriptor, effectOption);
      if (effect === Effect.UNSPECIFIED) throw new Error(`${String(descriptor)} does not say its effect`);
      return createMethod({ descriptor, rule, effect, check: rpc.check }, rpc, options);
    }),
  );
}

interface Ports {
  readonly accessControl: AccessControl;
  readonly fieldRules: FieldRules;
  readonly answerStore: AnswerStore;
}

function createMethod(step: Step, rpc: Rpc | StreamRpc, ports: Ports): Method {
  const { descriptor } = step;
  const { withCurrentAccess } = ports.accessControl;
  if (descriptor.methodKind === "unary" && "run" in rpc) {
    return {
      kind: "unary",
      descriptor,
      async call(arrival, receive) {
        const receiveOnce = once(receive);
        const useProof = proofUser(ports, arrival);
        const begin = () => beginCall(step, ports, { arrival, receive: receiveOnce, useProof });
        const finish = (begun: BegunCall) => finishCall(step, ports, { begun, rpc, arrival });
        // A change is made once, so its caller must be known for certain before.
        return step.effect === Effect.READ
          ? await withCurrentAccess(async () => await finish(await begin()))
          : await finish(await withCurrentAccess(begin));
      },
    };
  }
  if (descriptor.methodKind === "server_streaming" && "open" in rpc) {
    return {
      kind: "stream",
      descriptor,
      async open(arrival, receive) {
        const receiveOnce = once(() => single(receive()));
        const useProof = proofUser(ports, arrival);
        const { admitted, request } = await withCurrentAccess(() =>
          beginCall(step, ports, { arrival, receive: receiveOnce, useProof }),
        );
        const { call, problem } = admitted;
        if (problem !== undefined) throw problem;
        return toAnswers(descriptor, rpc.open(call, request));
      },
    };
  }
  throw new Error(`${String(descriptor)} is of a kind that its implementation does not fit`);
}

/** Returns a function that calls `receive` the first time, and later gives what came then. */
function once<T>(receive: () => Promise<T>): () => Promise<T> {
  let received: Promise<T> | undefined;
  return () => (received ??= receive());
}

/** Returns a function that uses up the proof of a call the first time, and later tells how that ended. */
function proofUser({ accessControl }: Ports, { signal, deadlineMs }: Arrival): Beginning["useProof"] {
  let used: Promise<void> | undefined;
  return (use) => (used ??= accessControl.useProof(use, { signal, deadlineMs }));
}

/** A call of a known caller whose request was received. */
interface BegunCall {
  readonly admitted: Admitted;
  readonly request: Message;
  /** Undefined for a call without conditions, such as every stream. */
  readonly conditions: Conditions | undefined;
}

/** A call whose caller is not known yet. Each function does its work the first time only, because a read may begin twice. */
interface Beginning {
  readonly arrival: Arrival;
  readonly receive: () => Promise<Message>;
  readonly useProof: (use: AssertionUse) => Promise<void>;
}

/** Does everything that comes before the work of the call. Harmless to repeat. */
async function beginCall(
  step: Step,
  ports: Ports,
  { arrival, receive, useProof }: Beginning,
): Promise<BegunCall> {
  const { caller, proofUse } = await ports.accessControl.authenticate(arrival);
  if (proofUse !== undefined) await useProof(proofUse);
  const conditions = readConditions(step.effect, arrival.header);
  const request = await receive();
  return { admitted: await admit(step, ports, { arrival, caller, request }), request, conditions };
}

async function finishCall(
  { descriptor }: Step,
  ports: Ports,
  { rpc, arrival, begun }: Work,
): Promise<Message> {
  const { admitted, request, conditions } = begun;
  const { call, problem, organizationId } = admitted;
  const run = async (made: Call): Promise<Message> => create(descriptor.output, await rpc.run(made, request));
  if (conditions !== undefined) {
    const { answerHeader } = arrival;
    const known = { descriptor, conditions, request, problem, run, answerHeader };
    return await callConditionally(ports.answerStore, { call, organizationId, ...known });
  }
  if (problem !== undefined) throw problem;
  return await run(call);
}

interface Work {
  readonly begun: BegunCall;
  readonly rpc: Rpc;
  readonly arrival: Arrival;
}

async function* toAnswers(
  { output }: DescMethod,
  inits: ReturnType<StreamRpc["open"]>,
): AsyncGenerator<Message, void, undefined> {
  for await (const init of inits) yield create(output, init);
}

interface Admitted {
  readonly call: Call;
  /** The problem of existence that `AccessControl.authorize` has found. */
  readonly problem: Problem | undefined;
  /** The value of x-service-orgid, where the call reads it. */
  readonly organizationId: string | undefined;
}

/** Authorizes the request of a known caller and checks its fields. The call may be made if there is no problem. */
async function admit(
  step: Step,
  ports: Ports,
  { arrival, caller, request }: { arrival: Arrival; caller: Caller; request: Message },
): Promise<Admitted> {
  const { rule } = step;
  const organizationId = readsHeader(rule) ? organizationOf(arrival.header("x-service-orgid")) : undefined;
  const { access, problem, isOutOfReach, confirm } = await ports.accessControl.authorize({
    rule,
    caller,
    request,
    organizationId,
  });
  checkFields(step, ports.fieldRules, request);
  // Before a stored answer is looked for: only callers who may still make the call get it.
  if (problem !== undefined && isOutOfReach === true) throw problem;
  const { requestId, remoteAddress, deadlineMs, signal, onAccepted, onOpen } = arrival;
  const known = { requestId, remoteAddress, caller, access, deadlineMs, signal, onAccepted, onOpen, confirm };
  const call =
    rule.organization === OrganizationSource.ITEMS ? { ...known, organizationHeader: organizationId } : known;
  return { call, problem, organizationId };
}

/** Says whether a call of the rule reads `x-service-orgid`. */
export function readsHeader({ organization }: AccessRule): boolean {
  return (
    organization === OrganizationSource.HEADER ||
    organization === OrganizationSource.HEADER_OR_HELD ||
    organization === OrganizationSource.ITEMS
  );
}

function organizationOf(header: string | undefined): string | undefined {
  if (header?.includes(",") === true) {
    throw requestInvalid(
      "the header x-service-orgid must not be repeated, and an organization id has no comma",
    );
  }
  return header === "" ? undefined : header;
}

/** Checks the fields of a request by the rules of the proto and of the rpc. Raises FIELD_INVALID with all that are broken. */
export function checkFields(
  { descriptor, check }: Pick<Step, "descriptor" | "check">,
  fieldRules: FieldRules,
  request: Message,
): void {
  const broken = fieldRules.check(descriptor.input, request);
  const violations = check === undefined ? broken : [...broken, ...check(request)];
  if (violations.length > 0) throw fieldsInvalid(violations);
}
