import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import {
  BatchService,
  type WriteItem,
  type WriteRequest,
  type WriteResultSchema,
} from "../../../../../gen/gatehouse/v1/batch_service_pb.ts";
import { Effect } from "../../../../../gen/gatehouse/v1/effect_pb.ts";
import type { AfterCommit, Call, Caller } from "../../../../kernel/base/call.ts";
import type { Clock } from "../../../../kernel/base/clock.ts";
import type { Database, WriteTransaction } from "../../../../kernel/base/database.ts";
import { fieldInvalid, Problem } from "../../../../kernel/base/problem.ts";
import type { AccessControl } from "../../../../identity/access/access-control.ts";
import { writeInUnit } from "../../../../identity/context.ts";
import { implementService, type ServiceImplementation } from "../../../../identity/rpc.ts";
import { createMatch, type Match, parseIfMatch } from "../conditions/headers.ts";
import { toStatus } from "../../errors/status.ts";
import { admitPart, createPartUnit } from "../part.ts";
import { readsHeader } from "../pipeline.ts";
import type { FieldRules } from "../field-rules/field-rules.ts";
import { createOperations, type Operation } from "./operations.ts";
import { createReferences, type References } from "./references.ts";

/** What a batch needs to treat its items as calls. */
export interface BatchOptions {
  /** All services whose changes can be items of a batch. */
  readonly services: readonly ServiceImplementation[];
  readonly accessControl: AccessControl;
  readonly fieldRules: FieldRules;
  readonly database: Pick<Database, "write">;
  readonly clock: Clock;
}

interface Setup extends BatchOptions {
  readonly operations: ReadonlyMap<string, Operation>;
}

/** Creates the service that makes many changes in one transaction, each as a call of its own would make it at that moment. */
export function createBatchService(options: BatchOptions): ServiceImplementation {
  const setup: Setup = { ...options, operations: createOperations(options.services) };
  return implementService(BatchService, {
    write: { run: (call, request) => writeBatch(setup, call, request) },
  });
}

type Result = MessageInitShape<typeof WriteResultSchema>;

/** A batch of more items has a commit of its own; many small ones share it. */
const maxShared = 50;
/** How long no other call is served before reads have their turn. */
const maxHoldMs = 5;

async function writeBatch(
  setup: Setup,
  call: Call,
  request: WriteRequest,
): Promise<{ readonly results: Result[] }> {
  const references = createReferences(request.items);
  for (const { request: item } of request.items) {
    const prepare = setup.operations.get(item.case ?? "")?.rpc.prepareItem;
    if (prepare !== undefined && item.value !== undefined) await prepare(call, item.value);
  }
  return await writeInUnit(
    setup.database,
    call,
    async (tx, afterCommit) => {
      const steps = new Set<AfterCommit>(); // many items may ask for the same one
      const batch: Batch = { ...setup, call, tx, references, steps, caller: call.caller };
      const results: Result[] = [];
      let heldSinceMs = setup.clock.nowMs();
      for (const [index, item] of request.items.entries()) {
        results.push(
          request.allowPartialSuccess
            ? await attempt(batch, { item, index })
            : await insist(batch, { item, index }),
        );
        if (setup.clock.nowMs() - heldSinceMs < maxHoldMs) continue;
        await tx.pause();
        heldSinceMs = setup.clock.nowMs();
      }
      for (const step of steps) afterCommit(step);
      return { results };
    },
    { mayTakeLong: request.items.length > maxShared },
  );
}

/** A batch in progress. */
interface Batch extends Setup {
  readonly call: Call;
  readonly tx: WriteTransaction;
  readonly references: References;
  /** The steps to take once all of it is durable. */
  readonly steps: Set<AfterCommit>;
  /** The caller, as the items so far have left them. */
  caller: Caller;
}

/** Does the item, or says why not and undoes it. */
async function attempt(batch: Batch, turn: Turn): Promise<Result> {
  try {
    return await batch.tx.nested((part) => runItem(batch, part, turn));
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === "internal") throw error;
    batch.references.failed(turn.item);
    return { result: { case: "error", value: toStatus(error) } };
  }
}

/** Does the item, or ends the batch with its problem. */
async function insist(batch: Batch, turn: Turn): Promise<Result> {
  const { item, index } = turn;
  try {
    return await runItem(batch, batch.tx, turn);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw ofItem(error, index, batch.operations.get(item.request.case ?? "")?.field.name ?? "request");
  }
}

/** The current item. */
interface Turn {
  readonly item: WriteItem;
  readonly index: number;
}

/** Does the work in the transaction of the batch, or in a part of it. */
async function runItem(batch: Batch, tx: WriteTransaction, { item, index }: Turn): Promise<Result> {
  const { call } = batch;
  const operation = batch.operations.get(item.request.case ?? "");
  const request: Message | undefined = item.request.value;
  if (operation === undefined || request === undefined)
    throw new Error("the oneof request is required by its rule");
  const { descriptor, rpc } = operation;
  const match = toMatch(operation, item.ifMatch, `items[${index}].if_match`);
  batch.references.resolve(descriptor.input, request);
  const named = readsHeader(operation.rule) ? item.organizationId : "";
  const organizationId = batch.references.resolveValue(named, `items[${index}].organization_id`);
  const { access, caller } = await admitPart(batch, operation, {
    tx,
    caller: batch.caller,
    request,
    organizationId: organizationId === "" ? call.organizationHeader : organizationId,
  });
  batch.caller = caller;
  const after: AfterCommit[] = [];
  const { requestId, remoteAddress, deadlineMs, signal, isDryRun } = call;
  const one = {
    requestId,
    remoteAddress,
    deadlineMs,
    signal,
    isDryRun,
    caller,
    access,
    isItem: true,
  } as const;
  const unit = createPartUnit(tx, after);
  const answer = create(
    descriptor.output,
    await rpc.run({ ...one, unit, requireMatch: match?.require }, request),
  );
  match?.finish();
  batch.references.made(item, descriptor.output, answer);
  for (const step of after) batch.steps.add(step);
  return { result: { case: item.request.case, value: answer } as Result["result"] }; // a pair, as createOperations has seen
}

function toMatch({ effect }: Operation, ifMatch: string, field: string): Match | undefined {
  if (ifMatch === "") return undefined;
  if (effect !== Effect.CHANGE)
    throw fieldInvalid(field, "is for items that change one object; leave it out");
  return createMatch(parseIfMatch(ifMatch, field));
}

/** Turns the problem of an item into the problem of the whole batch. */
function ofItem(problem: Problem, index: number, name: string): Problem {
  const { kind, reason, metadata, resource, retryAfterMs } = problem;
  const ofItself = new Set([`items[${index}].if_match`, `items[${index}].organization_id`]);
  return new Problem({
    kind,
    reason,
    message: `items[${index}].${name}: ${problem.message}`,
    metadata: { ...metadata, item: String(index) },
    violations: problem.violations.map(({ field, description }) => ({
      field: ofItself.has(field) ? field : `items[${index}].${name}.${field}`,
      description,
    })),
    ...(resource === undefined ? {} : { resource }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause: problem.cause,
  });
}
