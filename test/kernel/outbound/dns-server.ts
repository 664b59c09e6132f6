import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

/** A DNS server on loopback. */
export interface DnsServer {
  /** As `setServers` takes it. */
  readonly address: string;
  /** The names of all questions so far, in their order. */
  asked(): readonly string[];
  close(): void;
}

/** Starts a server that knows the addresses of these names, does not answer for those of silence, and says that there are no others. */
export async function startDnsServer(
  names: Readonly<Record<string, readonly string[] | "silence">>,
): Promise<DnsServer> {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    const { name, type, end } = readQuestion(question);
    asked.push(name);
    const addresses = names[name];
    if (addresses !== "silence")
      socket.send(toAnswer(question, { type, end, addresses }), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, asked: () => asked, close: () => socket.close() };
}

const headerBytes = 12;
const typeOfIpv4 = 1;
const typeOfIpv6 = 28;

/** Reads the one question of a message (RFC 1035 §4.1.2). */
function readQuestion(message: Buffer) {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** Makes the answer (RFC 1035 §4.1): NXDOMAIN if there are no addresses. */
function toAnswer(
  question: Buffer,
  {
    type,
    end,
    addresses,
  }: { readonly type: number; readonly end: number; readonly addresses?: readonly string[] | undefined },
): Buffer {
  const wanted = (addresses ?? []).filter((each) => type === (isIPv4(each) ? typeOfIpv4 : typeOfIpv6));
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(question.readUInt16BE(0), 0);
  header.writeUInt16BE(addresses === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(wanted.length, 6);
  const records = wanted.map((address) => {
    const data = toBytes(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc000 | headerBytes, 0); // the name of the question
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, question.subarray(headerBytes, end), ...records]);
}

function toBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => "0");
  return Buffer.from(
    [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, "0")).join(""),
    "hex",
  );
}
