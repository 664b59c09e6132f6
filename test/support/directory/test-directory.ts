import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { BerWriter } from "ldapts";
import {
  type BerElement,
  measureBer,
  readBer,
  readBerNumber,
} from "../../../src/kernel/outbound/directory/ber.ts";

/** An entry of a directory: its DN, its password if it has one, and its attributes. */
export interface TestEntry {
  readonly dn: string;
  readonly password?: string;
  readonly attributes: Readonly<Record<string, string | Buffer | readonly (string | Buffer)[]>>;
}

/** A request that a directory was asked. */
export interface AskedDirectoryRequest {
  readonly operation: "bind" | "search" | "starttls" | "unbind" | "other";
  /** Of a bind. */
  readonly dn?: string;
  readonly password?: string;
  readonly isEncrypted: boolean;
}

/** What a test may change of a directory. */
export interface DirectoryTricks {
  /** Sends these bytes in place of the answer to such a request; empty: says nothing. */
  readonly answers?: Partial<Record<AskedDirectoryRequest["operation"], (id: number) => Buffer>>;
  /** The result code of a bind. */
  readonly bindCode?: number;
  /** Pages without entries before each page with them. */
  readonly hasEmptyPages?: boolean;
}

/** A small directory in this process, on loopback. It knows equality, presence, and, or; and one base for all. */
export interface TestDirectory {
  readonly url: string;
  readonly entries: TestEntry[];
  readonly asked: AskedDirectoryRequest[];
  play(tricks: DirectoryTricks): void;
  stop(): Promise<void>;
}

/** Starts a directory on a free port. With a certificate it speaks TLS: from the first byte, or after STARTTLS. */
export async function startTestDirectory(
  entries: readonly TestEntry[],
  tls?: { readonly cert: string; readonly key: string; readonly isFromStart: boolean },
): Promise<TestDirectory> {
  const asked: AskedDirectoryRequest[] = [];
  const stored = [...entries];
  const sockets = new Set<Socket>();
  let tricks: DirectoryTricks = {};
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    serve(tls?.isFromStart === true ? secure(socket) : socket);
  });
  const secure = (socket: Socket): TLSSocket => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(tls) });
    secured.on("error", () => socket.destroy());
    return secured;
  };
  const serve = (socket: Socket) => {
    let bytes = Buffer.alloc(0);
    const onData = (data: Buffer) => {
      bytes = Buffer.concat([bytes, data]);
      for (
        let length = measureBer(bytes);
        length !== undefined && length <= bytes.length;
        length = measureBer(bytes)
      ) {
        const message = bytes.subarray(0, length);
        bytes = bytes.subarray(length);
        answer(socket, message);
      }
    };
    const answer = (to: Socket, message: Buffer) => {
      const [id, operation, controls] = readBer(readBer(message)[0]?.content ?? Buffer.alloc(0));
      if (id === undefined || operation === undefined) return;
      const request = toRequest(operation, to instanceof TLSSocket);
      asked.push(request);
      const own = tricks.answers?.[request.operation];
      if (own !== undefined) to.write(own(readBerNumber(id)));
      else if (request.operation === "starttls" && tls !== undefined) {
        to.off("data", onData);
        to.write(toResult(readBerNumber(id), 0x78, 0));
        serve(secure(to));
      } else
        for (const each of answersTo({ id: readBerNumber(id), operation, controls, request })) to.write(each);
    };
    socket.on("data", onData);
  };
  const answersTo = (of: Asked): readonly Buffer[] => {
    const { id, operation, request } = of;
    switch (request.operation) {
      case "bind": {
        const entry = stored.find(({ dn }) => dn === request.dn);
        const isIn = entry?.password !== undefined && entry.password === request.password;
        return [toResult(id, 0x61, tricks.bindCode ?? (isIn || request.password === "" ? 0 : 49))];
      }
      case "search":
        return search(of, readBer(operation.content));
      case "starttls":
        return [toResult(id, 0x78, 2)];
      case "unbind":
      case "other":
        return [];
    }
  };
  const search = ({ id, controls }: Asked, parts: readonly BerElement[]): readonly Buffer[] => {
    const limit = parts[3] === undefined ? 0 : readBerNumber(parts[3]);
    const filter = parts[6];
    const names =
      parts[7] === undefined ? [] : readBer(parts[7].content).map(({ content }) => content.toString());
    const found = stored.filter((entry) => filter !== undefined && fits(entry, filter));
    const page = readPage(controls);
    if (page === undefined) {
      const cut = limit > 0 && found.length > limit;
      const shown = cut ? found.slice(0, limit) : found;
      return [...shown.map((entry) => toEntry(id, entry, names)), toResult(id, 0x65, cut ? 4 : 0)];
    }
    const [start = 0, wasEmpty = 0] = page.cookie.split(" ").map(Number);
    if (tricks.hasEmptyPages === true && wasEmpty === 0) return [toResult(id, 0x65, 0, `${start} 1`)];
    const end = start + page.size;
    const cookie = end < found.length ? `${end} 0` : "";
    return [
      ...found.slice(start, end).map((entry) => toEntry(id, entry, names)),
      toResult(id, 0x65, 0, cookie),
    ];
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `${tls?.isFromStart === true ? "ldaps" : "ldap"}://127.0.0.1:${port}`,
    entries: stored,
    asked,
    play(next) {
      tricks = next;
    },
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

interface Asked {
  readonly id: number;
  readonly operation: BerElement;
  readonly controls: BerElement | undefined;
  readonly request: AskedDirectoryRequest;
}

function toRequest({ tag, content }: BerElement, isEncrypted: boolean): AskedDirectoryRequest {
  switch (tag) {
    case 0x60: {
      const [, dn, password] = readBer(content);
      return {
        operation: "bind",
        dn: dn?.content.toString() ?? "",
        password: password?.content.toString() ?? "",
        isEncrypted,
      };
    }
    case 0x63:
      return { operation: "search", isEncrypted };
    case 0x77:
      return { operation: "starttls", isEncrypted };
    case 0x42:
      return { operation: "unbind", isEncrypted };
    default:
      return { operation: "other", isEncrypted };
  }
}

function fits(entry: TestEntry, { tag, content }: BerElement): boolean {
  switch (tag) {
    case 0xa0:
      return readBer(content).every((each) => fits(entry, each));
    case 0xa1:
      return readBer(content).some((each) => fits(entry, each));
    case 0xa3: {
      const [attribute, value] = readBer(content);
      const wanted = value?.content.toString().toLowerCase().trim();
      return valuesIn(entry, attribute?.content.toString() ?? "").some(
        (each) => each.toString().toLowerCase() === wanted,
      );
    }
    case 0x87:
      return (
        content.toString().toLowerCase() === "objectclass" || valuesIn(entry, content.toString()).length > 0
      );
    default:
      throw new Error(`the test directory knows no filter 0x${tag.toString(16)}`);
  }
}

function valuesIn({ attributes }: TestEntry, name: string): readonly (string | Buffer)[] {
  const found = Object.entries(attributes).find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
  if (found === undefined) return [];
  return typeof found === "string" || Buffer.isBuffer(found) ? [found] : found;
}

function readPage(
  controls: BerElement | undefined,
): { readonly size: number; readonly cookie: string } | undefined {
  if (controls === undefined) return undefined;
  const [control] = readBer(controls.content);
  const value = control && readBer(control.content).findLast(({ tag }) => tag === 0x04);
  const [size, cookie] =
    value === undefined ? [] : readBer(readBer(value.content)[0]?.content ?? Buffer.alloc(0));
  return size && { size: readBerNumber(size), cookie: cookie?.content.toString() ?? "" };
}

function toEntry(id: number, entry: TestEntry, asked: readonly string[]): Buffer {
  return toMessage(id, (writer) => {
    writer.startSequence(0x64);
    writer.writeString(entry.dn);
    writer.startSequence();
    for (const name of asked) {
      const values = valuesIn(entry, name);
      if (values.length === 0) continue;
      writer.startSequence();
      writer.writeString(name);
      writer.startSequence(0x31);
      for (const value of values) writer.writeBuffer(Buffer.from(value as string), 0x04);
      writer.endSequence();
      writer.endSequence();
    }
    writer.endSequence();
    writer.endSequence();
  });
}

function toResult(id: number, tag: number, code: number, cookie?: string): Buffer {
  return toMessage(id, (writer) => {
    writer.startSequence(tag);
    writer.writeEnumeration(code);
    writer.writeString("");
    writer.writeString("");
    writer.endSequence();
    if (cookie === undefined) return;
    const value = new BerWriter();
    value.startSequence();
    value.writeInt(0);
    value.writeString(cookie);
    value.endSequence();
    writer.startSequence(0xa0);
    writer.startSequence();
    writer.writeString("1.2.840.113556.1.4.319");
    writer.writeBuffer(value.buffer, 0x04);
    writer.endSequence();
    writer.endSequence();
  });
}

function toMessage(id: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  write(writer);
  writer.endSequence();
  return writer.buffer;
}
