import { expect, test } from "@jest/globals";
import { createApplicationCommands } from "../../../../src/identity/applications/commands.ts";
import { createMetadataSource } from "../../../../src/identity/applications/saml/metadata-source.ts";
import { openFeatureFixture } from "../../../support/feature-fixture.ts";
import { createMetadataServer } from "./metadata-server.ts";

test("the parser is run in on documents that it takes, and others run between them", async () => {
  const fixture = await openFeatureFixture();
  try {
    const server = createMetadataServer();
    const source = createMetadataSource({ fetcher: server, clock: fixture.clock, dev: false });
    const done: string[] = [];
    const watched = {
      ...source,
      parse: (bytes: Uint8Array) => {
        setImmediate(() => done.push("another call"));
        const metadata = source.parse(bytes);
        done.push(`${metadata.assertionConsumerServices.length} services`);
        return metadata;
      },
    };
    await createApplicationCommands(fixture.context, watched).warmUp();
    expect(done).toEqual(Array.from({ length: 10 }, () => ["100 services", "another call"]).flat());
    expect(server.requests).toEqual([]);
  } finally {
    await fixture.close();
  }
});
