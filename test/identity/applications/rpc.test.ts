import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ApplicationState, SamlMetadataState } from "../../../gen/gatehouse/v1/application_pb.ts";
import {
  type CreateSamlApplicationRequest,
  CreateSamlApplicationRequestSchema,
  GetApplicationRequestSchema,
} from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { createApplicationCommands } from "../../../src/identity/applications/commands.ts";
import { createServiceProviderReader } from "../../../src/identity/applications/saml/service-provider-reader.ts";
import { createMetadataSource } from "../../../src/identity/applications/saml/metadata-source.ts";
import { createApplicationService } from "../../../src/identity/applications/rpc.ts";
import type { Rpc } from "../../../src/identity/rpc.ts";
import { toTimestamp } from "../../../src/identity/messages.ts";
import { createFieldRules } from "../../../src/sites/rpc/calls/field-rules/field-rules.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import {
  bytesOf,
  createMetadataServer,
  document,
  metadataOf,
  type MetadataServer,
  services,
} from "./saml/metadata-server.ts";

const url = "https://sp.example.com/metadata";
const rules = createFieldRules([CreateSamlApplicationRequestSchema]);

let fixture: FeatureFixture;
let server: MetadataServer;
let createSaml: Rpc;
let getApplication: Rpc;

beforeEach(async () => {
  fixture = await openFeatureFixture();
  server = createMetadataServer();
  const source = createMetadataSource({ fetcher: server, clock: fixture.clock, dev: false });
  const { rpcs } = createApplicationService(
    createApplicationCommands(fixture.context, source),
    fixture.context,
    {
      fetcher: server,
      serviceProviders: createServiceProviderReader({ clock: fixture.clock, dev: false }),
    },
  );
  createSaml = rpcs["createSamlApplication"] as Rpc;
  getApplication = rpcs["getApplication"] as Rpc;
});

afterEach(() => fixture.close());

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

describe("the answers", () => {
  const createAndRead = async (change: Partial<CreateSamlApplicationRequest>) => {
    const organization = await fixture.addOrganization();
    const projectId = await fixture.addProject(organization);
    const call = callAs(organization);
    const init = { projectId, name: "n", metadataUrl: "", ...change };
    const request = create(CreateSamlApplicationRequestSchema, init as CreateSamlApplicationRequest);
    const added = await createSaml.run(call, request);
    const asked = create(GetApplicationRequestSchema, { projectId, appId: added["appId"] as string });
    const { application } = await getApplication.run(call, asked);
    return { added, application, projectId };
  };

  test("hold the document as it was sent", async () => {
    const { added, application, projectId } = await createAndRead({ metadataXml: bytesOf(metadataOf("e")) });
    expect(added).toMatchObject({ entityId: "e", details: { sequence: expect.anything() } });
    expect(application).toMatchObject({
      id: added["appId"],
      name: "n",
      projectId,
      state: ApplicationState.ACTIVE,
      config: {
        case: "saml",
        value: {
          entityId: "e",
          metadataXml: bytesOf(metadataOf("e")),
          metadataUrl: "",
          assertionConsumerServices: services,
          metadataState: SamlMetadataState.READY,
          metadataError: "",
        },
      },
    });
    expect(application).not.toHaveProperty("config.value.metadataFetchDate");
  });

  test("say when the document was fetched", async () => {
    server.answer(document(metadataOf("e")));
    const { added, application } = await createAndRead({ metadataUrl: url });
    const { sequence } = added["details"] as { sequence: bigint };
    expect(application).toHaveProperty("config.value.metadataFetchDate", toTimestamp(Number(sequence)));
  });

  test("name no entity id while there is no document", async () => {
    const { added, application } = await createAndRead({ metadataUrl: url });
    expect(added["entityId"]).toBe("");
    expect(application).toMatchObject({
      config: {
        value: {
          entityId: "",
          metadataXml: new Uint8Array(),
          metadataUrl: url,
          assertionConsumerServices: [],
          metadataState: SamlMetadataState.PENDING,
          metadataError: "SAML_METADATA_UNREACHABLE",
        },
      },
    });
  });
});
