import { WireType } from "@bufbuild/protobuf/wire";
import type { DescMessage } from "@bufbuild/protobuf";
import { flip, type MutatedBody } from "./mutate-json.ts";
import type { Random } from "./random.ts";

interface Mutation {
  readonly what: string;
  readonly make: (input: { bytes: Buffer; desc: DescMessage; random: Random }) => Uint8Array;
}

/** Returns a binary message with one thing, or two, done to it. */
export function mutateBinary(bytes: Buffer, desc: DescMessage, random: Random): MutatedBody {
  const { what, make } = random.pick(mutations);
  const body = Buffer.from(make({ bytes, desc, random }));
  return random.chance(0.1)
    ? { what: `${what}, and bytes flipped`, body: flip(body, random) }
    : { what, body };
}

const longestVarint = Buffer.from([255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);

const mutations: readonly Mutation[] = [
  { what: "bytes flipped", make: ({ bytes, random }) => flip(bytes, random) },
  { what: "truncated", make: ({ bytes, random }) => bytes.subarray(0, random.below(bytes.length + 1)) },
  {
    what: "a byte put in",
    make: ({ bytes, random }) => {
      const at = random.below(bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(4)), bytes.subarray(at)]);
    },
  },
  {
    what: "a length that is wrong",
    make: ({ bytes, desc, random }) => {
      const length = random.pick([
        varint(1n),
        varint(1000n),
        varint(2n ** 31n - 1n),
        varint(2n ** 31n),
        varint(2n ** 32n - 1n),
        varint(2n ** 32n),
        varint(2n ** 63n),
        longestVarint,
      ]);
      return Buffer.concat([bytes, tag(anyField(desc, random), WireType.LengthDelimited), length]);
    },
  },
  {
    what: "a field in another wire type",
    make: ({ bytes, desc, random }) =>
      Buffer.concat([
        bytes,
        tag(anyField(desc, random), random.below(8)),
        random.bytes(random.pick([0, 1, 4, 8, 9])),
      ]),
  },
  {
    what: "groups",
    make: ({ bytes, desc, random }) => {
      const number = random.pick([anyField(desc, random), 1000]);
      const depth = random.pick([1, 2, 100, 10_000]);
      const open = repeated(tag(number, WireType.StartGroup), depth);
      const close = repeated(tag(number, WireType.EndGroup), random.pick([depth, depth - 1, depth + 1, 0]));
      return Buffer.concat([bytes, open, close]);
    },
  },
  {
    what: "unknown fields",
    make: ({ bytes, random }) =>
      Buffer.concat([
        bytes,
        ...Array.from({ length: random.pick([1, 10, 100]) }, () => unknownField(random)),
      ]),
  },
  {
    what: "fields that come twice",
    make: ({ bytes, random }) => Buffer.concat(Array.from({ length: random.pick([2, 3, 50]) }, () => bytes)),
  },
  {
    what: "text that is no UTF-8",
    make: ({ bytes, desc, random }) =>
      Buffer.concat([
        bytes,
        delimited(
          anyField(desc, random),
          Buffer.from(random.pick([[0xff], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf5, 0x80, 0x80, 0x80]])),
        ),
      ]),
  },
  {
    what: "a varint that is too long",
    make: ({ bytes, desc, random }) =>
      Buffer.concat([
        bytes,
        tag(anyField(desc, random), WireType.Varint),
        random.pick([
          longestVarint,
          Buffer.alloc(11, 0x80),
          Buffer.concat([Buffer.alloc(10, 0xff), Buffer.of(1)]),
          Buffer.from([0x80, 0x80, 0x00]),
        ]),
      ]),
  },
  {
    what: "a field number that is none",
    make: ({ bytes, random }) =>
      Buffer.concat([
        bytes,
        varint(
          random.pick([0n, 2n, 2n ** 29n * 8n, (2n ** 29n - 1n) * 8n + 2n, 2n ** 32n * 8n, 19_000n * 8n]),
        ),
        random.bytes(random.below(6)),
      ]),
  },
  {
    what: "nested deeply",
    make: ({ bytes, desc, random }) => {
      const depth = random.pick([50, 99, 100, 101, 1000]);
      const path = random.chance(0.5) ? [anyField(desc, random)] : [3, 1, 2, 5];
      let inner: Buffer = Buffer.from([0x08, 0x01]);
      for (let level = depth; level > 0; level--) inner = delimited(path[level % path.length] ?? 1, inner);
      return Buffer.concat([bytes, inner]);
    },
  },
  {
    what: "structures nested deeply",
    make: ({ bytes, random }) => {
      // Value.list_value = 6, ListValue.values = 1: two levels each.
      let inner: Buffer = Buffer.from([0x08, 0x00]);
      for (let level = random.pick([20, 49, 50, 51, 600]); level > 0; level--)
        inner = delimited(6, delimited(1, inner));
      const entry = Buffer.concat([delimited(1, Buffer.from("a")), delimited(2, inner)]);
      return Buffer.concat([bytes, delimited(3, delimited(1, entry))]);
    },
  },
  {
    what: "a structure of hostile keys and values",
    make: ({ bytes, random }) => {
      const key = Buffer.from(random.pick(["__proto__", "constructor", "", "\u0000", "id", "toString"]));
      const value = random.pick([
        Buffer.from([0x11, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f]), // NaN
        Buffer.from([0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f]), // Infinity
        Buffer.alloc(0), // no kind
        Buffer.from([0x08, 0x07]), // a NullValue that is none
        delimited(3, Buffer.from([0xed, 0xa0, 0x80])),
        delimited(
          5,
          delimited(
            1,
            Buffer.concat([delimited(1, Buffer.from("__proto__")), delimited(2, Buffer.from([0x20, 1]))]),
          ),
        ),
      ]);
      const entry = random.pick([
        Buffer.concat([delimited(1, key), delimited(2, value)]),
        delimited(1, key),
        delimited(2, value),
        Buffer.alloc(0),
      ]);
      return Buffer.concat([bytes, delimited(3, delimited(1, entry))]);
    },
  },
  {
    what: "a number that does not fit",
    make: ({ bytes, desc, random }) =>
      Buffer.concat([
        bytes,
        tag(anyField(desc, random), WireType.Varint),
        varint(random.pick([2n, 99n, 2n ** 31n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n])),
      ]),
  },
  {
    what: "an instant that is none",
    make: ({ bytes, desc, random }) => {
      const instant = Buffer.concat([
        tag(1, 0),
        varint(random.pick([2n ** 63n - 1n, 2n ** 63n, 253402300800n, 2n ** 64n - 62135596801n])),
        tag(2, 0),
        varint(random.pick([0n, 10n ** 9n, 2n ** 64n - 1n])),
      ]);
      return Buffer.concat([bytes, delimited(anyField(desc, random), instant)]);
    },
  },
  {
    what: "packed or not, as it should not be",
    make: ({ bytes, desc, random }) =>
      Buffer.concat([bytes, delimited(anyField(desc, random), random.bytes(random.below(40)))]),
  },
  {
    what: "a long text",
    make: ({ bytes, desc, random }) =>
      Buffer.concat([
        bytes,
        delimited(
          anyField(desc, random),
          Buffer.alloc(random.pick([201, 2049, 50_000]), random.pick(["a", "é", " ", "\u0000"])),
        ),
      ]),
  },
  {
    what: "many entries",
    make: ({ bytes, desc, random }) => {
      const entry = delimited(anyField(desc, random), Buffer.from(random.pick(["", "a", "reader"])));
      return Buffer.concat([bytes, ...Array.from({ length: random.pick([51, 1001, 5000]) }, () => entry)]);
    },
  },
];

function anyField(desc: DescMessage, random: Random): number {
  return desc.fields.length === 0 ? 1 : random.pick(desc.fields).number;
}

function unknownField(random: Random): Buffer {
  const number = random.pick([100, 5000, 536_870_911]);
  return random.pick([
    Buffer.concat([tag(number, WireType.Varint), varint(BigInt(random.below(1000)))]),
    Buffer.concat([tag(number, WireType.Bit32), random.bytes(4)]),
    Buffer.concat([tag(number, WireType.Bit64), random.bytes(8)]),
    delimited(number, random.bytes(random.below(20))),
  ]);
}

export function delimited(number: number, data: Uint8Array): Buffer {
  return Buffer.concat([tag(number, WireType.LengthDelimited), varint(BigInt(data.length)), data]);
}

function tag(number: number, wireType: number): Buffer {
  return varint((BigInt(number) << 3n) | BigInt(wireType));
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value % 2n ** 64n;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

function repeated(part: Buffer, count: number): Buffer {
  return Buffer.alloc(part.length * Math.max(0, count), part);
}
