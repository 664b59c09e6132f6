import type { DescMessage } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { readProblem } from "./call-problem.ts";

/** People who could not sign in any more after a call. */
export interface LockedOutPeople {
  readonly count: number;
  /** Their ids, at most 20 of them, separated by commas. */
  readonly ids: string;
}

/** Asks whether to go on although these people could not sign in any more. */
export type AskToForce = (people: LockedOutPeople) => Promise<boolean>;

/**
 * Makes a transport that asks before a call locks out administrators of the service, and sends it once more with `force` only after
 * a yes. A user who has said yes to the dry run of a call is not asked again if the call is about the same people. Callers that may
 * not force the call, or may not learn which users it is about, are not asked: they see why it failed.
 */
export function askBeforeForce(
  transport: Transport,
  { ask, mayForce }: { readonly ask: AskToForce; readonly mayForce: boolean },
): Transport {
  const agreed = new Map<string, string>();
  const unary: Transport["unary"] = async (method, signal, timeoutMs, header, input, contextValues) => {
    try {
      return await transport.unary(method, signal, timeoutMs, header, input, contextValues);
    } catch (error) {
      const people = mayForce && canBeForced(method.input) ? toPeople(error) : undefined;
      if (people === undefined) throw error;
      const key = keyOf(method.name, input);
      if (agreed.get(key) !== people.ids && !(await ask(people))) throw error;
      if (isDryRun(header)) agreed.set(key, people.ids);
      else agreed.delete(key);
      return await transport.unary(
        method,
        signal,
        timeoutMs,
        header,
        { ...input, force: true },
        contextValues,
      );
    }
  };
  return { ...transport, unary };
}

function canBeForced({ fields }: DescMessage): boolean {
  return fields.some(({ name }) => name === "force");
}

function toPeople(error: unknown): LockedOutPeople | undefined {
  const { reason, metadata } = readProblem(error);
  const { people, user_ids: ids = "" } = metadata;
  if (reason !== "LOCKS_OUT" || people === undefined) return undefined;
  return { count: Number(people), ids };
}

function keyOf(method: string, input: unknown): string {
  return `${method} ${JSON.stringify(input, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value))}`;
}

function isDryRun(header: HeadersInit | undefined): boolean {
  return new Headers(header).has("x-service-validate-only");
}
