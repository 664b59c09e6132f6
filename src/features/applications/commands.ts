import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { createdDetails, type Details } from "../../base/details.ts";
import type { ApplicationId } from "../../base/ids.ts";
import { type FeatureContext, write } from "../context.ts";
import { getProject } from "../projects/repository.ts";
import type { Project } from "../projects/project.ts";
import {
  addSamlApplication,
  type Application,
  applicationNameTaken,
  applicationNotFound,
  entityIdTaken,
  type FoundMetadata,
} from "./application.ts";
import { metadataNamespace } from "./metadata-fault.ts";
import { nextRefresh } from "./metadata-schedule.ts";
import { type MetadataSource, tooManyFetches } from "./metadata-source.ts";
import { findApplication, isApplicationNameTaken, isEntityIdTaken, putRefresh } from "./repository.ts";

/** What a caller asks for. Exactly one of document and URL is filled. */
export interface NewSamlApplication {
  readonly projectId: string;
  readonly name: string;
  readonly metadataXml: Uint8Array;
  readonly metadataUrl: string;
}

/** An application that was added; its entity id is undefined while there is no document. */
export interface AddedApplication {
  readonly id: ApplicationId;
  readonly details: Details;
  readonly entityId: string | undefined;
}

export interface ApplicationCommands {
  /**
   * Raises NOT_FOUND (project), SAML_METADATA_*, URL_FORBIDDEN, ALREADY_EXISTS (application, saml_entity_id) and, when the
   * organization has too many fetches under way, RATE_LIMITED. A URL whose server cannot be reached is no problem: the
   * document is fetched later.
   */
  createSaml(call: Call, application: NewSamlApplication): Promise<AddedApplication>;
  /** Raises NOT_FOUND (project, application). */
  get(
    call: Call,
    asked: { readonly projectId: string; readonly applicationId: string },
  ): Promise<Application>;
  /** Lets the parser of metadata run in, so that the first large document does not hold up other calls. */
  warmUp(): Promise<void>;
}

export function createApplicationCommands(
  context: FeatureContext,
  source: MetadataSource,
): ApplicationCommands {
  return {
    async createSaml(call, application) {
      // Judged before a fetch, so that nothing is fetched in vain or for somebody who may not see the project. The write
      // judges it again.
      const isFetched = application.metadataUrl !== "";
      await context.database.read(async (tx) => {
        const project = await getProject(tx, call.access, application.projectId);
        if (isFetched) await requireFreeName(tx, project, application.name);
      });
      const found: FoundMetadata = isFetched
        ? await fetchMetadata({ context, source, call, url: application.metadataUrl })
        : { kind: "document", metadata: source.parse(application.metadataXml) };
      return await add(context, { call, application, found });
    },
    get: (call, asked) =>
      context.database.read(async (tx) => {
        const project = await getProject(tx, call.access, asked.projectId);
        const application = await findApplication(tx, project.id, asked.applicationId);
        if (application === undefined) throw applicationNotFound(asked.applicationId);
        return application;
      }),
    warmUp: () => warmUpParser(source),
  };
}

const warmUpRounds = 10;
const warmUpServices = 100;

/** Parses a document of moderate size some times, in pieces of some milliseconds. */
async function warmUpParser(source: MetadataSource): Promise<void> {
  const services = Array.from(
    { length: warmUpServices },
    (_, index) =>
      `<m:AssertionConsumerService Binding="b" Location="https://sp.example.org/?a&amp;b=${index}" index="${index}"/>\n`,
  );
  const xml =
    `<?xml version="1.0"?><!-- --><m:EntityDescriptor xmlns:m="${metadataNamespace}" entityID="e">` +
    `<m:SPSSODescriptor>${services.join("")}</m:SPSSODescriptor></m:EntityDescriptor>`;
  const document = new Uint8Array(Buffer.from(xml));
  for (let round = 0; round < warmUpRounds; round++) {
    source.parse(document);
    await new Promise(setImmediate);
  }
}

async function fetchMetadata(input: {
  readonly context: FeatureContext;
  readonly source: MetadataSource;
  readonly call: Call;
  readonly url: string;
}): Promise<FoundMetadata> {
  const { call, context } = input;
  const request = {
    organizationId: call.access.organizationId,
    url: input.url,
    timeoutMs: call.deadlineMs === undefined ? undefined : call.deadlineMs - context.clock.nowMs(),
    signal: call.signal,
  };
  const fetched = await input.source.fetch(request).catch((error: unknown): FoundMetadata => {
    if (call.signal?.aborted !== true) throw error;
    return { kind: "unreachable" }; // the write refuses what comes too late
  });
  if (fetched.kind === "busy") throw tooManyFetches();
  if (fetched.kind === "unusable") throw fetched.problem;
  return fetched;
}

function add(
  context: FeatureContext,
  input: {
    readonly call: Call;
    readonly application: NewSamlApplication;
    readonly found: FoundMetadata;
  },
): Promise<AddedApplication> {
  const { call, application, found } = input;
  const { name, metadataUrl } = application;
  return write(context, call, async ({ tx, append }) => {
    const project = await getProject(tx, call.access, application.projectId);
    await requireFreeName(tx, project, name);
    const entityId = found.kind === "document" ? found.metadata.entityId : undefined;
    if (entityId !== undefined && (await isEntityIdTaken(tx, entityId))) throw entityIdTaken(entityId);
    const id = context.ids.next<ApplicationId>();
    const date = await append([addSamlApplication({ id, project, name, metadataUrl, found })]);
    if (metadataUrl !== "") {
      const nowMs = context.clock.nowMs();
      await putRefresh(tx, id, nextRefresh(found.kind, { failures: 0, nowMs, random: context.random }));
    }
    return { id, details: createdDetails(date, project.details.resourceOwner), entityId };
  });
}

async function requireFreeName(tx: ReadTransaction, project: Project, name: string): Promise<void> {
  if (await isApplicationNameTaken(tx, project.id, name)) throw applicationNameTaken(name);
}
