import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { AccessRule } from "../../../../gen/gatehouse/v1/access_pb.ts";
import type { AccessControl } from "../../../identity/access/access-control.ts";
import type { Rpc } from "../../../identity/rpc.ts";
import type { AfterCommit, Call, Caller, WriteUnit } from "../../../kernel/base/call.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { FieldRules } from "./field-rules/field-rules.ts";
import { checkFields } from "./pipeline.ts";

// Calls that are parts of one transaction: the items of a batch, and what a request of another protocol stands for.

/** An rpc that is called as a part, with its access rule. */
export interface PartMethod {
  readonly descriptor: DescMethod;
  readonly rule: AccessRule;
  readonly rpc: Rpc;
}

/** Checks a part as the pipeline checks a call, against what the parts before it have left. Raises what a call raises. */
export async function admitPart(
  ports: { readonly accessControl: AccessControl; readonly fieldRules: FieldRules },
  { rule, rpc, descriptor }: PartMethod,
  asked: {
    readonly tx: WriteTransaction;
    readonly caller: Caller;
    readonly request: Message;
    readonly organizationId: string | undefined;
  },
): Promise<{ readonly caller: Caller; readonly access: Call["access"] }> {
  const { tx, request, organizationId } = asked;
  const { caller, access, problem } = await ports.accessControl.authorizeWithin(tx, {
    rule,
    caller: asked.caller,
    request,
    organizationId,
  });
  checkFields({ descriptor, check: rpc.check }, ports.fieldRules, request);
  if (problem !== undefined) throw problem;
  return { caller, access };
}

/** Creates the unit of one part, which is the transaction that it is a part of. The steps that follow the commit go to `after`. */
export function createPartUnit(tx: WriteTransaction, after: AfterCommit[]): WriteUnit {
  return {
    async write(_database, work, how) {
      const result = await work(tx);
      if (result instanceof Problem) throw result; // nothing of a failed part stays
      after.push(...how.after);
      return result as Exclude<typeof result, Error>; // problems are the only errors that work returns
    },
    read: (fn) => fn(tx),
  };
}
