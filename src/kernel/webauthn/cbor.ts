/** Maximum nesting of items: WebAuthn needs 3, CTAP2 allows 4. */
const maxDepth = 8;

/** Maximum number of items in all: a credential has a few dozen. Each costs the decoder far more than its byte. */
const maxItems = 10_000;

/**
 * Returns where the CBOR item that starts at `start` ends, or undefined when it is not well-formed: truncated, of
 * indefinite length, a length longer than it needs to be, tagged, or nested too deep. CTAP2 §8 (canonical CBOR)
 * forbids all of these; the decoder that reads the values afterwards misreads some of them. Also undefined when it
 * contains too many items.
 */
export function endOfCborItem(bytes: Uint8Array, start: number): number | undefined {
  return endOfItem({ bytes, itemsLeft: maxItems }, start, 0);
}

interface Walk {
  readonly bytes: Uint8Array;
  itemsLeft: number;
}

function endOfItem(walk: Walk, start: number, depth: number): number | undefined {
  const head = readHead(walk.bytes, start);
  walk.itemsLeft -= 1;
  if (head === undefined || depth > maxDepth || walk.itemsLeft < 0) return undefined;
  switch (head.majorType) {
    case 0:
    case 1:
      return head.end;
    case 2:
    case 3:
      return head.argument <= walk.bytes.length - head.end ? head.end + head.argument : undefined;
    case 4:
      return endOfItems(walk, { start: head.end, count: head.argument, depth: depth + 1 });
    case 5:
      return endOfItems(walk, { start: head.end, count: head.argument * 2, depth: depth + 1 });
    case 7:
      return head.isFloat || (head.argument >= 20 && head.argument <= 23) ? head.end : undefined;
    default:
      return undefined;
  }
}

function endOfItems(
  walk: Walk,
  items: { readonly start: number; readonly count: number; readonly depth: number },
): number | undefined {
  let end: number | undefined = items.start;
  for (let index = 0; index < items.count && end !== undefined; index += 1) {
    end = endOfItem(walk, end, items.depth);
  }
  return end;
}

interface Head {
  readonly majorType: number;
  readonly argument: number;
  readonly isFloat: boolean;
  readonly end: number;
}

function readHead(bytes: Uint8Array, start: number): Head | undefined {
  const first = bytes[start];
  if (first === undefined) return undefined;
  const majorType = first >> 5;
  const short = first & 0x1f;
  if (short < 24) return { majorType, argument: short, isFloat: false, end: start + 1 };
  if (short > 27) return undefined; // reserved, or of indefinite length
  const width = 2 ** (short - 24);
  const end = start + 1 + width;
  if (end > bytes.length) return undefined;
  let argument = 0;
  for (const byte of bytes.subarray(start + 1, end)) argument = argument * 256 + byte;
  const isFloat = majorType === 7 && width > 1;
  const least = width === 1 ? 24 : 2 ** (8 * (width / 2));
  return isFloat || argument >= least ? { majorType, argument, isFloat, end } : undefined;
}
