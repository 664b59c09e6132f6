import { setTimeout as delay } from "node:timers/promises";
import { judgeRegister, type Operation, type Version } from "../../../support/linearizability.ts";
import { query } from "../../support/sql.ts";
import type { RoamingCaller } from "./roaming-caller.ts";

/** A conditional update of which nobody knows whether it was made. */
interface Doubtful {
  readonly expected: number;
  readonly value: string;
  readonly calledAt: number;
}

/** A project, taken for a register: its sequence, and its name, which each update replaces by one that was never there. */
export interface Register {
  readonly id: string;
  readonly initial: Version;
  readonly operations: Operation[];
  readonly doubtful: Doubtful[];
  /** Refusals that are neither about the sequence nor about the service being busy. */
  readonly odd: string[];
}

/** Makes a project to be raced for. */
export async function createRegister(caller: RoamingCaller, name: string): Promise<Register> {
  const made = await caller.call("ProjectService/AddProject", { name });
  if (made.kind !== "answer") throw new Error(`AddProject ended with ${JSON.stringify(made)}`);
  const { id, details } = made.json;
  const initial = { sequence: Number(details.sequence), value: name };
  return { id, initial, operations: [], doubtful: [], odd: [] };
}

/** Reads and updates the register, one after the other, until `mayRun` says no. Updates only what it has just seen. */
export async function raceFor(
  register: Register,
  caller: RoamingCaller,
  { name, mayRun }: { readonly name: string; mayRun(): boolean },
): Promise<void> {
  for (let count = 0; mayRun(); count += 1) {
    const seen = await read(register, caller);
    if (seen === undefined) continue;
    await swap(register, caller, { expected: seen, value: `${register.id} ${name} ${count}` });
    await delay(5); // others write, too
  }
}

async function read({ id, operations, odd }: Register, caller: RoamingCaller): Promise<number | undefined> {
  const calledAt = performance.now();
  const ending = await caller.call("ProjectService/GetProject", { id });
  if (ending.kind === "refused" && ending.code !== 14) odd.push(`GetProject: ${JSON.stringify(ending)}`);
  if (ending.kind !== "answer") return undefined;
  const { name, details } = ending.json.project;
  const version = { sequence: Number(details.sequence), value: name };
  operations.push({ kind: "read", version, calledAt, answeredAt: performance.now() });
  return version.sequence;
}

async function swap(
  { id, operations, doubtful, odd }: Register,
  caller: RoamingCaller,
  { expected, value }: { readonly expected: number; readonly value: string },
): Promise<void> {
  const calledAt = performance.now();
  const condition = { "if-match": `"${expected}"` };
  const ending = await caller.call("ProjectService/UpdateProject", { id, name: value }, condition);
  const answeredAt = performance.now();
  if (ending.kind === "cut") doubtful.push({ expected, value, calledAt });
  else if (ending.kind === "answer") {
    const version = { sequence: Number(ending.json.details.sequence), value };
    operations.push({ kind: "swapped", expected, version, calledAt, answeredAt });
  } else if (ending.reason === "SEQUENCE_MISMATCH") {
    const current = Number(ending.metadata.sequence);
    operations.push({ kind: "refused", expected, current, calledAt, answeredAt });
  } else if (ending.code !== 14 && ending.code !== 8) odd.push(`UpdateProject: ${JSON.stringify(ending)}`);
}

/** Reads the versions that the log has of a register after its first one. */
export async function readVersions(url: string, { id, initial }: Register): Promise<readonly Version[]> {
  const rows = await query<{ sequence: string; payload: string }>(
    url,
    `SELECT sequence, payload FROM events WHERE aggregate_id = '${id}' AND sequence > ${initial.sequence} ORDER BY sequence`,
  );
  return rows.map(({ sequence, payload }) => ({
    sequence: Number(sequence),
    value: (JSON.parse(payload) as { name: string }).name, // the event of an update of a project
  }));
}

/**
 * Says what is wrong with the history of a register, given the versions that the log has. An update whose outcome was unknown
 * was made if the log has its value, at some instant after its call; it was not made if the log has not.
 */
export function judgeHistory(register: Register, versions: readonly Version[]): readonly string[] {
  const { initial, operations, doubtful, odd } = register;
  const made = doubtful.flatMap(({ expected, value, calledAt }): readonly Operation[] => {
    const version = versions.find((each) => each.value === value);
    if (version === undefined) return [];
    return [{ kind: "swapped", expected, version, calledAt, answeredAt: Number.POSITIVE_INFINITY }];
  });
  const all = [...operations, ...made];
  const told = new Map(
    all.flatMap((each) => (each.kind === "swapped" ? [[each.version.sequence, each.version.value]] : [])),
  );
  return [
    ...odd,
    ...judgeRegister(initial, all),
    ...versions
      .filter(({ sequence, value }) => told.get(sequence) !== value)
      .map(
        ({ sequence, value }) => `the log has ${sequence} (${value}), which was refused or asked by nobody`,
      ),
    ...[...told.keys()]
      .filter((sequence) => !versions.some((version) => version.sequence === sequence))
      .map((sequence) => `lost: ${sequence} was acknowledged, and the log has not got it`),
  ];
}
