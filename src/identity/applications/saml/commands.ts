import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { ApplicationId } from "../../../kernel/base/ids.ts";
import { requireVisible } from "../../../kernel/base/names/visible-name.ts";
import { change, type FeatureContext, read, requireTarget, write } from "../../context.ts";
import { getProject } from "../../projects/repository.ts";
import type { Project } from "../../projects/project.ts";
import { type ApplicationName, applicationNameTaken } from "../application/application.ts";
import { isApplicationNameTaken } from "../application/repository.ts";
import { tooManyFetches } from "../application/fetch-room.ts";
import { metadataNamespace } from "./metadata-fault.ts";
import { nextRefresh } from "./metadata-schedule.ts";
import type { MetadataSource } from "./metadata-source.ts";
import { putRefresh, removeRefresh } from "./refresh-repository.ts";
import { getSamlApplication, isEntityIdTaken } from "./repository.ts";
import {
  addSamlApplication,
  changeSamlSettings,
  changeSamlSource,
  entityIdTaken,
  type FoundMetadata,
  requireSaml,
} from "./saml-application.ts";
import type { SamlSettings } from "./saml-settings.ts";

/** The source of metadata. Exactly one of document and URL is set. */
export interface SamlSource {
  readonly metadataXml: Uint8Array;
  readonly metadataUrl: string;
}

/** What a caller asks for. */
export interface NewSamlApplication extends SamlSource {
  readonly projectId: string;
  readonly name: string;
}

/** An application that was added. Its entity id is undefined while there is no document. */
export interface AddedApplication {
  readonly id: ApplicationId;
  readonly details: Details;
  readonly entityId: string | undefined;
}

/**
 * Each raises NOT_FOUND (project), SAML_METADATA_*, URL_FORBIDDEN, ALREADY_EXISTS (saml_entity_id) and, when the
 * organization has too many fetches in progress, RATE_LIMITED. Accepts a URL whose server cannot be reached: the
 * document is fetched later.
 */
export interface SamlCommands {
  /** Also raises ALREADY_EXISTS for a name that is taken in the project. */
  createSaml(call: Call, application: NewSamlApplication): Promise<AddedApplication>;
  /**
   * Changes the source of the metadata; the entity id may change. Also raises NOT_FOUND for the application. Harmless
   * to repeat.
   */
  updateSaml(call: Call, asked: ApplicationName, source: SamlSource): Promise<Details>;
  /** Replaces all settings. Raises only NOT_FOUND (project, application) and WRONG_KIND. Harmless to repeat. */
  updateSamlSettings(call: Call, asked: ApplicationName, settings: SamlSettings): Promise<Details>;
  /** Warms up the parser of metadata, so that the first large document does not hold up other calls. */
  warmUp(): Promise<void>;
}

/** Creates the commands of SAML applications. A fetch ends before the write begins. */
export function createSamlCommands(context: FeatureContext, source: MetadataSource): SamlCommands {
  const find = (
    call: Call,
    { metadataUrl, metadataXml }: SamlSource,
  ): Promise<FoundMetadata> | FoundMetadata =>
    metadataUrl === ""
      ? { kind: "document", metadata: source.parse(metadataXml) }
      : fetchMetadata({ context, source, call, url: metadataUrl });
  return {
    async createSaml(call, application) {
      // Checked before the fetch, so that nothing is fetched in vain or for callers who may not see the project. The write
      // checks it again.
      await read(context, call, async (tx) => {
        const project = await getProject(tx, call.access, application.projectId);
        if (application.metadataUrl !== "") await requireFreeName(tx, project, application.name);
      });
      return await add(context, { call, application, found: await find(call, application) });
    },
    async updateSaml(call, asked, sent) {
      await read(context, call, async (tx) =>
        requireSaml(requireTarget(call, await getSamlApplication(tx, call.access, asked))),
      );
      return await replaceSource(context, call, {
        asked,
        metadataUrl: sent.metadataUrl,
        found: await find(call, sent),
      });
    },
    updateSamlSettings: (call, asked, settings) =>
      change(context, call, {
        load: ({ tx }) => getSamlApplication(tx, call.access, asked),
        decide: (application) => changeSamlSettings(requireSaml(application), settings),
      }),
    warmUp: () => warmUpParser(source),
  };
}

const warmUpRounds = 10;
const warmUpServices = 100;

/** Parses a document of moderate size several times, in steps of a few milliseconds. */
async function warmUpParser(source: MetadataSource): Promise<void> {
  const services = Array.from(
    { length: warmUpServices },
    (_, index) =>
      `<m:AssertionConsumerService Binding="b" Location="https://sp.example.org/?a&amp;b=${index}" index="${index}"><x:a xmlns:x="urn:x${index}" x:b="c"/></m:AssertionConsumerService>\n`,
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
  // A transaction of several calls cannot wait for other servers. The document is fetched later, as after a failure.
  const isPostponed = call.unit?.read !== undefined;
  const request = {
    organizationId: call.access.organizationId,
    url: input.url,
    timeoutMs: call.deadlineMs === undefined ? undefined : call.deadlineMs - context.clock.nowMs(),
    signal: call.signal,
  };
  const fetched = isPostponed
    ? input.source.postpone(input.url)
    : await input.source.fetch(request).catch((error: unknown): FoundMetadata => {
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
    const id = tx.nextId<ApplicationId>();
    const date = await append([addSamlApplication({ id, project, name, metadataUrl, found })]);
    await scheduleRefresh(context, tx, { id, metadataUrl, found });
    return { id, details: createdDetails(date, project.details.resourceOwner), entityId };
  });
}

function replaceSource(
  context: FeatureContext,
  call: Call,
  input: {
    readonly asked: ApplicationName;
    readonly metadataUrl: string;
    readonly found: FoundMetadata;
  },
): Promise<Details> {
  const { found, metadataUrl } = input;
  return change(context, call, {
    load: ({ tx }) => getSamlApplication(tx, call.access, input.asked),
    async decide(target, { tx }) {
      const application = requireSaml(target);
      const { id } = application;
      const entityId = found.kind === "document" ? found.metadata.entityId : undefined;
      if (entityId !== undefined && (await isEntityIdTaken(tx, entityId, id))) throw entityIdTaken(entityId);
      await scheduleRefresh(context, tx, { id, metadataUrl, found });
      return changeSamlSource(application, { metadataUrl, found });
    },
  });
}

/** Says when the metadata is fetched next; never if it was sent. */
async function scheduleRefresh(
  context: FeatureContext,
  tx: WriteTransaction,
  input: {
    readonly id: ApplicationId;
    readonly metadataUrl: string;
    readonly found: FoundMetadata;
  },
): Promise<void> {
  const { id, metadataUrl, found } = input;
  if (metadataUrl === "") return await removeRefresh(tx, id);
  const nowMs = context.clock.nowMs();
  const next = nextRefresh(found.kind, { failures: 0, nowMs, random: context.random });
  await putRefresh(tx, id, { ...next, fetchDate: found.kind === "document" ? nowMs * 1000 : undefined });
}

async function requireFreeName(tx: ReadTransaction, project: Project, name: string): Promise<void> {
  requireVisible({ name });
  if (await isApplicationNameTaken(tx, project.id, name)) throw applicationNameTaken(name);
}
