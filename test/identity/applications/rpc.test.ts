import { create } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test } from "@jest/globals";
import {
  type CreateSamlApplicationRequest,
  CreateSamlApplicationRequestSchema,
} from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { createApplicationCommands } from "../../../src/identity/applications/commands.ts";
import { createServiceProviderReader } from "../../../src/identity/applications/saml/service-provider-reader.ts";
import { createMetadataSource } from "../../../src/identity/applications/saml/metadata-source.ts";
import { createExternalClientCommands } from "../../../src/identity/applications/external/commands.ts";
import { toId } from "../../../src/kernel/base/ids.ts";
import { createApplicationService } from "../../../src/identity/applications/rpc.ts";
import type { Rpc } from "../../../src/identity/rpc.ts";
import { createFieldRules } from "../../../src/sites/rpc/calls/field-rules/field-rules.ts";
import { openFeatureFixture } from "../../support/feature-fixture.ts";
import { bytesOf, createMetadataServer } from "./saml/metadata-server.ts";

const url = "https://sp.example.com/metadata";
const rules = createFieldRules([CreateSamlApplicationRequestSchema]);

const fixture = await openFeatureFixture();
const { clock, context } = fixture;
const server = createMetadataServer();
const source = createMetadataSource({ fetcher: server, clock, dev: false });
const { rpcs } = createApplicationService(createApplicationCommands(context, source), context, {
  externalClients: createExternalClientCommands(context, toId("1")),
  fetcher: server,
  serviceProviders: createServiceProviderReader({ clock, dev: false }),
});
const createSaml = rpcs["createSamlApplication"] as Rpc;
afterAll(() => fixture.close());

describe("the field rules of createSamlApplication", () => {
  const wrongFields = (change: Partial<CreateSamlApplicationRequest>) => {
    const init = { projectId: "1", name: "n", metadataUrl: change.metadataUrl ?? "", ...change };
    const message = create(CreateSamlApplicationRequestSchema, init as CreateSamlApplicationRequest);
    const violations = [
      ...rules.check(CreateSamlApplicationRequestSchema, message),
      ...(createSaml.check?.(message) ?? []),
    ];
    return violations.map((violation) => violation.field);
  };
  const long = (length: number) => `https://sp.example.com/${"\u{1F511}".repeat(length - 23)}`;

  test.each([url, `${url}?a=b`, "http://127.0.0.1/metadata", long(2048)])(
    "take the URL %#",
    (metadataUrl) => {
      expect(wrongFields({ metadataUrl })).toEqual([]);
    },
  );

  test.each(["sp.example.com", "/metadata", "https:", "https://sp.example.com/a b", `${url}#x`])(
    "refuse %s, which is no URL to fetch",
    (metadataUrl) => {
      expect(wrongFields({ metadataUrl })).toEqual(["metadata_url"]);
    },
  );

  test.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://user@sp.example.com/",
    "ftp://sp.example.com",
  ])("leave %s to the guarded fetch, which has a reason of its own for it", (metadataUrl) => {
    expect(wrongFields({ metadataUrl })).toEqual([]);
  });

  test("report a URL that is too long and one that is none", () => {
    expect(wrongFields({ metadataUrl: `${long(2047)}#` })).toEqual(["metadata_url"]);
    expect(wrongFields({ metadataUrl: `${long(2049)}#x` })).toEqual(["metadata_url", "metadata_url"]);
  });

  test("demand exactly one of document and URL", () => {
    expect(wrongFields({ metadataXml: bytesOf("x") })).toEqual([]);
    expect(wrongFields({})).toHaveLength(1);
    expect(wrongFields({ metadataXml: bytesOf("x"), metadataUrl: url })).toHaveLength(1);
  });
});
