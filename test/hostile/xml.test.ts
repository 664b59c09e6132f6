import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { gzipSync } from "node:zlib";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { metadata, service } from "../identity/applications/saml/metadata-document.ts";
import { refusalOf } from "../support/service.ts";
import { uniqueName, type World } from "../support/world.ts";
import { type Lab, startLabWithWorld } from "./support/lab.ts";

let lab: Lab;
let world: World;
beforeAll(async () => {
  ({ lab, world } = await startLabWithWorld());
  for (const [, document] of documents.slice(0, 4)) await create(document); // compiles what is needed for the first time
});
afterAll(async () => {
  await lab.discard();
});

async function create(document: string | Uint8Array) {
  return await lab.clients.grpc.call(
    ApplicationService.method.createSamlApplication,
    {
      projectId: world.projectId,
      name: uniqueName("App"),
      metadataXml: new Uint8Array(Buffer.from(document as string)),
    },
    { token: world.owner.token },
  );
}

const malformed = "SAML_METADATA_MALFORMED";
const doctype = "SAML_METADATA_DOCTYPE";
const encoding = "SAML_METADATA_ENCODING";
const tooLarge = "SAML_METADATA_TOO_LARGE";
const around = (content: string) => metadata({ before: `<md:Extensions>${content}</md:Extensions>` });
const bomb = Array.from({ length: 30 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join(
  "",
);
const utf16 = (text: string, mark: readonly number[]) =>
  Buffer.concat([Buffer.from(mark), Buffer.from(text, "utf16le")]);

/** As dear as the limits let a document be; it is refused at its last character only. */
const dear = (content: string) => around(content).slice(0, -1);
const times = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join("");

/** What XML can be abused for, as large as a document may be, with the reason that it is refused for. */
const documents: readonly (readonly [string, string | Uint8Array, string])[] = [
  ["a DOCTYPE", metadata({ prolog: "<!DOCTYPE a>" }), doctype],
  ["an external DTD", metadata({ prolog: '<!DOCTYPE a SYSTEM "https://127.0.0.1/a.dtd">' }), doctype],
  [
    "an external entity",
    metadata({ prolog: '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>', entityId: "&x;" }),
    doctype,
  ],
  [
    "an external parameter entity",
    metadata({ prolog: '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1/"> %x;]>' }),
    doctype,
  ],
  [
    "an entity bomb",
    metadata({ prolog: `<!DOCTYPE a [<!ENTITY e0 "a">${bomb}]>`, entityId: "&e30;" }),
    doctype,
  ],
  [
    "an entity of 480 kB used often",
    metadata({ prolog: `<!DOCTYPE a [<!ENTITY x "${"a".repeat(480_000)}">]>`, entityId: "&x;&x;&x;" }),
    doctype,
  ],
  ["an entity declaration without DOCTYPE", around('<!ENTITY x "a">'), doctype],
  ["a million character references", around("&#9;".repeat(1_000_000)), tooLarge],
  ["124,000 character references", around("&#9;".repeat(124_000)), malformed],
  ["100,000 nested elements", "<a>".repeat(100_000) + "</a>".repeat(100_000), tooLarge],
  ["70,000 nested elements", around("<a>".repeat(70_000) + "</a>".repeat(70_000)), malformed],
  ["166,000 elements that never end", "<a>".repeat(166_000), malformed],
  ["an attribute of 400 kB", metadata({ entity: `a="${"a".repeat(400_000)}"` }), malformed],
  [
    "40,000 attributes",
    around(`<a ${Array.from({ length: 40_000 }, (_, at) => `a${at}="" `).join("")}/>`),
    malformed,
  ],
  [
    "10,000 elements with a prefix each",
    dear(times(9996, (at) => `<p:a xmlns:p="urn:${at}" p:b=""/>`)),
    malformed,
  ],
  ["20,000 namespaces", dear(`<a ${times(19_990, (at) => `xmlns:a${at}="u${at}" `)}/>`), malformed],
  [
    "9,600 elements, 48 in each other, with two namespaces each",
    dear(times(200, () => '<a xmlns:x="u" xmlns:y="v">'.repeat(48) + "</a>".repeat(48))),
    malformed,
  ],
  [
    "9,000 namespaces under 9,000",
    dear(`<a ${times(9000, (at) => `xmlns:a${at}="u" `)}>${times(9000, () => '<b xmlns:z="u"/>')}</a>`),
    malformed,
  ],
  [
    "20,000 attributes in a namespace of 64 KiB",
    dear(`<a xmlns:p="${"u".repeat(65_536)}" ${times(19_990, (at) => `p:a${at}="" `)}/>`),
    malformed,
  ],
  [
    "2,000 services",
    metadata({ services: service(undefined, "").repeat(2000), epilog: "trailing" }),
    malformed,
  ],
  ["500,001 bytes", metadata({}).padEnd(500_001), tooLarge],
  ["1 MB", around("a".repeat(1_000_000)), tooLarge],
  ["UTF-7", metadata({ prolog: '<?xml version="1.0" encoding="UTF-7"?>' }), encoding],
  ["UTF-7 without saying so", "+ADw-!DOCTYPE a+AD4-", malformed],
  [
    "UTF-16 with its mark that declares UTF-8",
    utf16(metadata({ prolog: '<?xml version="1.0" encoding="UTF-8"?>' }), [0xff, 0xfe]),
    encoding,
  ],
  ["UTF-16 without a mark", utf16(metadata({}), []), encoding],
  ["UTF-16, the other way round", utf16(metadata({}), []).swap16(), encoding],
  ["ISO-8859-1", metadata({ prolog: '<?xml version="1.0" encoding="ISO-8859-1"?>' }), encoding],
  [
    "bytes that are no UTF-8",
    Buffer.concat([Buffer.from(metadata({})), Buffer.from([0xed, 0xa0, 0x80])]),
    encoding,
  ],
  ["two roots", metadata({}) + metadata({}), "SAML_METADATA_ROOT"],
  ["duplicate IDs", metadata({ entity: 'ID="a"', before: '<a ID="a"/>' }), malformed],
  ["trailing content", metadata({ epilog: "trailing" }), malformed],
  [
    "a comment inside a name",
    metadata({}).replace("EntityDescriptor", "Entity<!-- -->Descriptor"),
    malformed,
  ],
  [
    "an ACS javascript:",
    metadata({ services: service("javascript:alert(1)") }),
    "SAML_METADATA_ACS_LOCATION",
  ],
  ["an ACS data:", metadata({ services: service("data:text/html,a") }), "SAML_METADATA_ACS_LOCATION"],
  [
    "an ACS that is no https",
    metadata({ services: service("http://sp.example.com/acs") }),
    "SAML_METADATA_ACS_LOCATION",
  ],
  [
    "an ACS with a reference for its scheme",
    metadata({ services: service("&#106;avascript:alert(1)") }),
    "SAML_METADATA_ACS_LOCATION",
  ],
  ["499,000 times <", "<".repeat(499_000), malformed],
  ["an open comment", `<!--${"- ".repeat(245_000)}`, malformed],
  ["an XInclude", around('<xi:include href="file:///etc/passwd" parse="text"/>'), malformed],
  ["HTML", "<!doctype html><title>a</title>", doctype],
  ["gzip", gzipSync(metadata({})), encoding],
];

test.each(documents)(
  "%s is refused for its reason, within 100 ms, and holds nobody up for 50 ms",
  async (_name, document, reason) => {
    const refusals: Pick<ReturnType<typeof refusalOf>, "reason" | "code">[] = [];
    const send = async () => refusals.push(refusalOf(await create(document)));
    // The best of a few tries, as collected garbage counts, too; in the service's own time, as the machine may be busy.
    let workedMs = Infinity;
    let longestTurnMs = Infinity;
    for (let round = 0; round < 20 && !(workedMs < 100 && longestTurnMs < 50); round++) {
      workedMs = Math.min(workedMs, await lab.workedMs(send));
      longestTurnMs = Math.min(longestTurnMs, await lab.longestTurnMs(send));
    }
    expect(refusals).toMatchObject(refusals.map(() => ({ reason, code: 3 })));
    expect(workedMs).toBeLessThan(100);
    expect(longestTurnMs).toBeLessThan(50);
  },
);

test("no document made the service connect to anything or fail", async () => {
  const { connections, lookups, uncaught } = await lab.sample();
  expect([connections, lookups, uncaught, lab.faults()]).toEqual([[], [], [], []]);
});
