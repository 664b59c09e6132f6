import type { DescMessage } from "@bufbuild/protobuf";

/**
 * Creates a function that makes a value for each message type at its first use. `begin` makes the value and `fill`
 * completes it: a type may contain itself, and then `fill` finds the incomplete value. Everything must follow from
 * the type alone, which never changes, so the function is pure to its callers, and a module may keep it.
 */
export function oncePerType<T extends object>(
  begin: (desc: DescMessage) => T,
  fill: (begun: T, desc: DescMessage) => void,
): (desc: DescMessage) => T {
  const known = new WeakMap<DescMessage, T>();
  return (desc) => {
    const found = known.get(desc);
    if (found !== undefined) return found;
    const begun = begin(desc);
    known.set(desc, begun);
    fill(begun, desc);
    return begun;
  };
}
