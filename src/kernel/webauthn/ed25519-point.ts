/** The field and the constant of the curve: RFC 8032 §5.1. */
const p = 2n ** 255n - 19n;
const d =
  37_095_705_934_669_439_343_138_083_508_754_565_189_542_113_879_843_219_016_388_785_533_085_940_283_555n;

/** One of the two y-coordinates of the points of order 8; the other one is its negative. */
const yOfOrder8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/**
 * The y-coordinates of the eight points whose order divides 8. A signature made without any key is valid for such a
 * point.
 */
const lowOrder: ReadonlySet<bigint> = new Set([0n, 1n, p - 1n, yOfOrder8, p - yOfOrder8]);

/**
 * Says whether 32 bytes are an Ed25519 public key that only its owner can sign for: the canonical encoding of a point
 * on the curve (RFC 8032 §5.1.3) that is not of low order. OpenSSL accepts any 32 bytes as a key.
 */
export function isEd25519Key(bytes: Uint8Array): boolean {
  const number = BigInt(`0x${Buffer.from(bytes.toReversed()).toString("hex")}`);
  const y = BigInt.asUintN(255, number); // the last bit is the sign of x
  if (y >= p || lowOrder.has(y)) return false;
  const [u, v] = [y * y - 1n, d * y * y + 1n];
  return isSquare(u * v); // as u / v is, which must be the square of x
}

/** Says whether a number that is not a multiple of p is a square modulo p, by Euler's criterion. */
function isSquare(number: bigint): boolean {
  let power = 1n;
  let base = number % p;
  for (let exponent = (p - 1n) / 2n; exponent > 0n; exponent /= 2n) {
    if (exponent % 2n === 1n) power = (power * base) % p;
    base = (base * base) % p;
  }
  return power === 1n;
}
