import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  getOption,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { access as accessOption } from "../../../../gen/gatehouse/v1/access_pb.ts";
import type { AfterCommit, Call, Caller } from "../../../kernel/base/call.ts";
import type { Database, WriteTransaction } from "../../../kernel/base/database.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { admitPart, createPartUnit, type PartMethod } from "./part.ts";
import { checkFields, type PipelineOptions } from "./pipeline.ts";

/** A call to make: an rpc and its request. */
export interface ComposedCall<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> {
  readonly method: DescMethodUnary<I, O>;
  readonly request: MessageInitShape<I>;
}

/** The transaction of a request, and the rpcs that may be called in it. */
export interface ComposedUnit {
  readonly tx: WriteTransaction;
  /** Makes a call as the caller of the request, with all its checks, on what the calls before it have left. Raises what the rpc raises. */
  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
  ): Promise<MessageShape<O>>;
}

/** A request whose caller is known. */
export interface ComposedRequest {
  readonly exchange: Exchange;
  readonly caller: Caller;
  /** The organization that its calls act on, as `x-service-orgid` would say it. */
  readonly organizationId: string;
}

/** Makes calls for requests of another protocol, each as if it had come by itself. */
export interface ComposedCalls {
  /**
   * Finds the caller, requires that the caller may make this call on the organization, and then reads. `work` may run twice, so it
   * changes nothing. Raises what a call raises.
   */
  read<T>(
    asked: { readonly exchange: Exchange; readonly organizationId: string; readonly like: ComposedCall },
    work: (request: ComposedRequest) => Promise<T>,
  ): Promise<T>;
  /**
   * Makes all calls of `work` in one transaction: all of them or none. `first` is a call that takes long before it writes, such as one
   * with a password: it waits before the transaction, then writes as its first call, and `work` gets its answer. Does not return before
   * all is durable.
   */
  write<T>(
    request: ComposedRequest,
    work: (unit: ComposedUnit, answer: Message | undefined) => Promise<T>,
    first?: ComposedCall,
  ): Promise<T>;
}

interface Setup {
  readonly methods: ReadonlyMap<DescMethod, PartMethod>;
  readonly options: PipelineOptions & { readonly database: Database };
}

/** Creates the calls of the services for sites of other protocols. */
export function createComposedCalls(options: Setup["options"]): ComposedCalls {
  const methods = new Map(
    options.services.flatMap(({ service, rpcs }) =>
      service.methods.flatMap((descriptor): [DescMethod, PartMethod][] => {
        const rpc = rpcs[descriptor.localName];
        if (rpc === undefined || !("run" in rpc)) return [];
        return [[descriptor, { descriptor, rule: getOption(descriptor, accessOption), rpc }]];
      }),
    ),
  );
  const setup: Setup = { methods, options };
  return {
    read: (asked, work) => read(setup, asked, work),
    write: (request, work, first) =>
      first === undefined ? write(setup, request, work) : writeAfter(setup, request, { work, first }),
  };
}

async function read<T>(
  { methods, options }: Setup,
  asked: Parameters<ComposedCalls["read"]>[0],
  work: (request: ComposedRequest) => Promise<T>,
): Promise<T> {
  const { accessControl } = options;
  const { exchange, organizationId, like } = asked;
  const { rule } = methodOf(methods, like.method);
  let used: Promise<void> | undefined; // a proof, once, even if the work is done again
  return await accessControl.withCurrentAccess(async () => {
    const { caller, proofUse } = await accessControl.authenticate(exchange);
    if (proofUse !== undefined) await (used ??= accessControl.useProof(proofUse, {}));
    const request = create<DescMessage>(like.method.input, like.request);
    const { problem } = await accessControl.authorize({ rule, caller, request, organizationId });
    if (problem !== undefined) throw problem;
    return await work({ exchange, caller, organizationId });
  });
}

async function write<T>(
  setup: Setup,
  request: ComposedRequest,
  work: (unit: ComposedUnit, answer: undefined) => Promise<T>,
): Promise<T> {
  const after: AfterCommit[] = [];
  const base = toBase(request);
  const result = await setup.options.database.write(
    async (tx) => ({ value: await work(createUnit(setup, { request, base, tx, after }), undefined) }),
    base,
  );
  for (const step of after) await step();
  return result.value;
}

/** What all calls of a request have in common. */
function toBase({ exchange }: ComposedRequest) {
  const gone = new AbortController();
  if (exchange.isGone) gone.abort();
  else exchange.answering.once("close", () => gone.abort());
  const { requestId, remoteAddress } = exchange;
  const isByDirectory = true as const; // no other protocol is composed of calls
  return { requestId, remoteAddress, deadlineMs: undefined, signal: gone.signal, isByDirectory };
}

interface UnitParts {
  readonly request: ComposedRequest;
  readonly base: ReturnType<typeof toBase>;
  readonly tx: WriteTransaction;
  readonly after: AfterCommit[];
}

function createUnit({ methods, options }: Setup, { request, base, tx, after }: UnitParts): ComposedUnit {
  let { caller } = request;
  const { organizationId } = request;
  return {
    tx,
    async call(method, init) {
      const part = methodOf(methods, method);
      const message = create(method.input, init);
      const admitted = await admitPart(options, part, { tx, caller, request: message, organizationId });
      caller = admitted.caller;
      const unit = createPartUnit(tx, after);
      const answer = await part.rpc.run({ ...base, ...admitted, isItem: true, unit }, message);
      return create(method.output, answer as MessageInitShape<typeof method.output>); // that of the rpc of the method
    },
  };
}

/** The first call does what takes long, and its transaction then stays open for the others. */
async function writeAfter<T>(
  setup: Setup,
  request: ComposedRequest,
  {
    work,
    first,
  }: { readonly work: (unit: ComposedUnit, answer: Message) => Promise<T>; readonly first: ComposedCall },
): Promise<T> {
  const { accessControl, fieldRules } = setup.options;
  const { caller, organizationId } = request;
  const base = toBase(request);
  const part = methodOf(setup.methods, first.method);
  const message = create<DescMessage>(first.method.input, first.request);
  const asked = { rule: part.rule, caller, request: message, organizationId };
  const { access, problem, confirm } = await accessControl.authorize(asked);
  checkFields({ descriptor: part.descriptor, check: part.rpc.check }, fieldRules, message);
  if (problem !== undefined) throw problem;
  const after: AfterCommit[] = [];
  const answered = Promise.withResolvers<Message>();
  answered.promise.catch(() => {}); // of a call that failed before its write
  let committed: Promise<{ readonly value: T }> | undefined;
  const unit: Call["unit"] = {
    write(database, begin, how) {
      const begun = Promise.withResolvers<Awaited<ReturnType<typeof begin>>>();
      committed = database.write(async (tx) => {
        const result = await begin(tx);
        if (result instanceof Problem) throw result;
        begun.resolve(result);
        // Only the conversion to a message comes in between; it awaits nothing.
        const answer = await answered.promise;
        return { value: await work(createUnit(setup, { request, base, tx, after }), answer) };
      }, how.options);
      committed.then(() => after.unshift(...how.after)).catch(begun.reject);
      return begun.promise as Promise<never>; // a problem was thrown
    },
  };
  try {
    answered.resolve(
      create(part.descriptor.output, await part.rpc.run({ ...base, caller, access, confirm, unit }, message)),
    );
  } catch (error) {
    answered.reject(error);
    throw error;
  }
  if (committed === undefined) throw new Error(`${first.method.name} wrote nothing`);
  const { value } = await committed;
  for (const step of after) await step();
  return value;
}

function methodOf(methods: Setup["methods"], method: DescMethod): PartMethod {
  const found = methods.get(method);
  if (found === undefined) throw new Error(`no service answers ${method.name}`);
  return found;
}
