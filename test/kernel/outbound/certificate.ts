import { generateKeyPairSync, sign } from "node:crypto";
import { isIPv4 } from "node:net";

/** A certificate that signs itself, and its key, both PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a certificate for the host names and IPv4 addresses, valid from 2020 to 2049 unless told otherwise (UTCTime). */
export function createCertificate(
  hostNames: readonly string[],
  { from = "200101000000Z", to = "491231235959Z" } = {},
): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(set(sequence(oid("550403"), tagged(0x0c, Buffer.from("gatehouse test"))))); // commonName
  const algorithm = sequence(oid("2a8648ce3d040302")); // ecdsa-with-SHA256
  const names = sequence(...hostNames.map(toGeneralName));
  const alternativeNames = sequence(oid("551d11"), tagged(0x04, names));
  const toBeSigned = sequence(
    tagged(0xa0, integer(2)), // version 3
    integer(1), // serial number
    algorithm,
    name,
    sequence(utcTime(from), utcTime(to)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(alternativeNames)),
  );
  const signature = sign("sha256", toBeSigned, privateKey);
  const der = sequence(toBeSigned, algorithm, tagged(0x03, Buffer.from([0]), signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replaceAll(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}

function toGeneralName(host: string): Buffer {
  return isIPv4(host)
    ? tagged(0x87, Buffer.from(host.split(".").map(Number)))
    : tagged(0x82, Buffer.from(host));
}

/** Returns a DER value: tag, length, contents. */
function tagged(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const { length } = body;
  const longForm = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  const lengthBytes = length < 0x80 ? [length] : longForm;
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), body]);
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return tagged(0x30, ...contents);
}

function set(...contents: readonly Buffer[]): Buffer {
  return tagged(0x31, ...contents);
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]));
}

function utcTime(text: string): Buffer {
  return tagged(0x17, Buffer.from(text));
}
