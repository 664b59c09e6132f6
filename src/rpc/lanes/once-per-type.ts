import type { DescMessage } from "@bufbuild/protobuf";

/**
 * Creates a function that makes something of each message type at its first use. `fill` completes what `begin` has begun: a type
 * may hold itself, and then `fill` finds what was begun. Everything must follow from the type alone, which never changes, so the
 * function is pure to its callers, and a module may keep it.
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
