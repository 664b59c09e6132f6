// Judges what clients saw of one register that is changed by compare-and-set: whether it could have been a single thing that
// took one operation after the other, each at some instant between its call and its answer (Herlihy and Wing, 1990).

/** A state of the register. No two have the same sequence. */
export interface Version {
  readonly sequence: number;
  readonly value: string;
}

/** What one client did and was told. The instants are those of one clock, and the answer comes no earlier than the call. */
export type Operation = { readonly calledAt: number; readonly answeredAt: number } & (
  | { readonly kind: "read"; readonly version: Version }
  /** Set the value, given that the sequence was the expected one: so it was, and `version` came of it. */
  | { readonly kind: "swapped"; readonly expected: number; readonly version: Version }
  /** Wanted the same, and was told that the sequence is another. */
  | { readonly kind: "refused"; readonly expected: number; readonly current: number }
);

/**
 * Returns what is wrong with the history; nothing when there is an order of all its operations that explains every answer and
 * keeps to the order in time of those that do not overlap. Exact, since each swap names the one before it: there is one order
 * of swaps, and each other operation belongs between two of them. An operation whose answer is not known has no place in it.
 */
export function judgeRegister(initial: Version, operations: readonly Operation[]): readonly string[] {
  const { chain, complaints } = chainOf(initial, operations);
  const unexplained = operations.flatMap((operation) => findUnexplained(chain, operation));
  const wrong = [...complaints, ...unexplained];
  return wrong.length > 0 ? wrong : judgeTime(chain, operations);
}

/** Each version by its sequence, with its number in the order of the swaps; the first has the number 0. */
type Chain = ReadonlyMap<number, { readonly value: string; readonly number: number }>;

type Swap = Extract<Operation, { readonly kind: "swapped" }>;

/** Follows the swaps from the first version on. Complains of what does not lie on that way. */
function chainOf(initial: Version, operations: readonly Operation[]) {
  const swaps = operations.filter((operation): operation is Swap => operation.kind === "swapped");
  const complaints: string[] = [];
  const next = new Map<number, Swap>();
  for (const swap of swaps) {
    if (next.has(swap.expected)) complaints.push(`lost update: two swaps replaced ${swap.expected}`);
    next.set(swap.expected, swap);
  }
  const chain = new Map([[initial.sequence, { value: initial.value, number: 0 }]]);
  let last = initial.sequence;
  for (let swap = next.get(last); swap !== undefined; swap = next.get(last)) {
    const { sequence, value } = swap.version;
    // So the way ends, too: a sequence that was there before is not larger.
    if (sequence <= last) return { chain, complaints: [...complaints, `${sequence} came after ${last}`] };
    chain.set(sequence, { value, number: chain.size });
    last = sequence;
  }
  for (const { expected, version } of swaps)
    if (!chain.has(expected))
      complaints.push(`gap: ${version.sequence} replaced ${expected}, to which no swap leads`);
  return { chain, complaints };
}

/** Looks at the answer alone, whenever it came. */
function findUnexplained(chain: Chain, operation: Operation): readonly string[] {
  switch (operation.kind) {
    case "swapped":
      return [];
    case "read": {
      const { sequence, value } = operation.version;
      const version = chain.get(sequence);
      if (version === undefined) return [`a read of ${sequence}, which nobody wrote`];
      return version.value === value ? [] : [`a read of ${sequence} with the value of another version`];
    }
    case "refused":
      if (operation.current === operation.expected) return [`${operation.current} was refused as not itself`];
      return chain.has(operation.current)
        ? []
        : [`a refusal told of ${operation.current}, which nobody wrote`];
  }
}

/**
 * Every operation has a place in the order of all: the swap to version n comes after all that saw version n - 1, and before all
 * that see version n. That order explains the history if and only if none ended before one of an earlier place began.
 */
function judgeTime(chain: Chain, operations: readonly Operation[]): readonly string[] {
  const numberOf = (sequence: number) => chain.get(sequence)?.number ?? 0; // all are there by now
  const placed = operations
    .map((operation) => ({ operation, place: placeOf(operation, numberOf) }))
    .toSorted((one, other) => one.place - other.place);
  const complaints: string[] = [];
  let latest = Number.NEGATIVE_INFINITY; // the latest call of an earlier place
  let latestHere = latest;
  let here = -1;
  for (const { operation, place } of placed) {
    if (place > here) {
      latest = Math.max(latest, latestHere);
      here = place;
    }
    latestHere = Math.max(latestHere, operation.calledAt);
    if (operation.answeredAt < latest) complaints.push(describeEarly(operation));
  }
  return complaints;
}

/** Even: a swap. Odd: what saw the version that the swap before it made. */
function placeOf(operation: Operation, numberOf: (sequence: number) => number): number {
  switch (operation.kind) {
    case "swapped":
      return 2 * numberOf(operation.version.sequence);
    case "read":
      return 2 * numberOf(operation.version.sequence) + 1;
    case "refused":
      return 2 * numberOf(operation.current) + 1;
  }
}

function describeEarly({ kind, answeredAt, ...rest }: Operation): string {
  const what = JSON.stringify({ kind, ...rest });
  return `out of time: ${what} was answered at ${answeredAt}, before something began that comes earlier`;
}
