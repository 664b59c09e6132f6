/** Takes all of an IPv4 address, and 64 bits of an IPv6 address: the caller chooses the rest (RFC 4291 §2.5.1). */
export function networkOf(address: string | undefined): string | undefined {
  if (address === undefined || !address.includes(":") || address.includes(".")) return address;
  const [left = [], right] = address
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  // RFC 4291 §2.2: the two colons stand for all groups that are missing.
  const zeros = Array.from({ length: right === undefined ? 0 : 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...(right ?? [])].slice(0, 4).join(":");
}
