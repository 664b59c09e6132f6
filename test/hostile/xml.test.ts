import { afterAll, beforeAll, expect, test } from "@jest/globals";
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

async function create(document: string) {
  return await lab.clients.grpc.call(
    ApplicationService.method.createSamlApplication,
    {
      projectId: world.projectId,
      name: uniqueName("App"),
      metadataXml: new Uint8Array(Buffer.from(document)),
    },
    { token: world.owner.token },
  );
}

const malformed = "SAML_METADATA_MALFORMED";
const around = (content: string) => metadata({ before: `<md:Extensions>${content}</md:Extensions>` });
/** As dear as the limits let a document be; it is refused at its last character only. */
const dear = (content: string) => around(content).slice(0, -1);
const times = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join("");

/**
 * The dearest of what XML can be abused for, and what leads elsewhere, with the reason that it is refused for. All others are in
 * `test/identity/applications/saml/metadata-hostile.test.ts`.
 */
const documents: readonly (readonly [string, string, string])[] = [
  [
    "an external entity",
    metadata({ prolog: '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>', entityId: "&x;" }),
    "SAML_METADATA_DOCTYPE",
  ],
  ["an XInclude", around('<xi:include href="file:///etc/passwd" parse="text"/>'), malformed],
  ["124,000 character references", around("&#9;".repeat(124_000)), malformed],
  ["166,000 elements that never end", "<a>".repeat(166_000), malformed],
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
