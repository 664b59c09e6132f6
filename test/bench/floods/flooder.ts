/**
 * Floods a service, in a process of its own: `node flooder.ts <port> <flood> <connections> <seconds> <authorization>`. Each
 * connection that ends is opened again. Prints how they ended.
 */
import { connect } from "node:net";
import { preface, encodeFrame, encodeSettings, flag, type } from "../../kernel/http/support/http2-frames.ts";
import { createFloods, type Flood } from "./floods.ts";

const [port = "", name = "", connections = "", seconds = "", authorization = ""] = process.argv.slice(2);
const flood = createFloods(authorization)[name];
if (flood === undefined) throw new Error(`no flood is called ${name}`);
const endMs = performance.now() + 1000 * Number(seconds);
const ends = new Map<string, number>();
for (let index = 0; index < Number(connections); index++) open(flood);
setTimeout(
  () => {
    process.stdout.write(JSON.stringify(Object.fromEntries(ends)));
    process.exit();
  },
  1000 * Number(seconds) + 300,
);

function open(of: Flood): void {
  if (performance.now() > endMs) return;
  const socket = connect(Number(port), "127.0.0.1");
  let round = 0;
  let received = Buffer.alloc(0);
  const send = (): void => {
    if (performance.now() > endMs) socket.destroy();
    while (!socket.destroyed && socket.write(of.next(round++)))
      if (round % 100 === 0) return void setImmediate(send);
  };
  socket.on("error", () => {});
  socket.on("data", (bytes: Buffer) => (received = Buffer.concat([received, bytes])));
  socket.on("drain", () => setImmediate(send));
  socket.once("close", () => {
    const end = of.isHttp1 ? /^HTTP\/1\.1 (\d+)/.exec(received.toString("latin1"))?.[1] : goAwayIn(received);
    ends.set(end ?? "no word", (ends.get(end ?? "no word") ?? 0) + 1);
    setImmediate(() => open(of));
  });
  if (of.isHttp1 !== true)
    socket.write(Buffer.concat([preface, encodeSettings(), encodeFrame(type.settings, flag.ack, 0)]));
  if (of.first !== undefined) socket.write(of.first);
  send();
}

/** Returns the code of GOAWAY (RFC 9113 §6.8). */
function goAwayIn(bytes: Buffer): string | undefined {
  for (let at = 0; at + 17 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3))
    if (bytes[at + 3] === type.goAway) return `GOAWAY ${bytes.readUInt32BE(at + 13)}`;
  return undefined;
}
