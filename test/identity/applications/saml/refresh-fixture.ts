import { createSoleLeadership, type Leadership } from "../../../../src/kernel/base/leadership.ts";
import type { OrganizationId, ProjectId } from "../../../../src/kernel/base/ids.ts";
import {
  type ApplicationCommands,
  createApplicationCommands,
} from "../../../../src/identity/applications/commands.ts";
import {
  createMetadataRefresh,
  type MetadataRefresh,
} from "../../../../src/identity/applications/saml/metadata-refresh.ts";
import { createMetadataSource } from "../../../../src/identity/applications/saml/metadata-source.ts";
import type { SamlConfig } from "../../../../src/identity/applications/saml/saml-config.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { bytesOf, createMetadataServer, type MetadataServer } from "./metadata-server.ts";
import { samlOf } from "../../../support/samples.ts";

export const url = "https://sp.example.com/metadata";
export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** A project whose applications are refreshed, by a process that can be started again. */
export interface RefreshFixture {
  readonly fixture: FeatureFixture;
  readonly server: MetadataServer;
  readonly organization: OrganizationId;
  /** What was told to onError. */
  readonly errors: unknown[];
  /** Of the process that was started last. */
  readonly refresh: MetadataRefresh;
  readonly timers: TestTimers;
  /** Makes everything that a start of the process makes. */
  restart(leadership?: Leadership): void;
  createWith(metadataUrl: string, xml?: string, name?: string): ReturnType<ApplicationCommands["createSaml"]>;
  /** Creates an application whose metadata is fetched from `url`, and returns its id. */
  create(name?: string): Promise<string>;
  /** Does so in another organization, with a URL of its own host. */
  createElsewhere(host: string, count: number): Promise<void>;
  samlOf(applicationId: string): Promise<SamlConfig>;
  close(): Promise<void>;
}

export async function openRefreshFixture(): Promise<RefreshFixture> {
  const fixture = await openFeatureFixture();
  const server = createMetadataServer();
  const errors: unknown[] = [];
  const organization: OrganizationId = await fixture.addOrganization();
  const project: ProjectId = await fixture.addProject(organization);
  const startProcess = (leadership: Leadership = createSoleLeadership()) => {
    const timers = createTestTimers();
    const source = createMetadataSource({ fetcher: server, clock: fixture.clock, dev: false });
    const commands = createApplicationCommands(fixture.context, source);
    const onError = (error: unknown) => {
      errors.push(error);
    };
    const refresh = createMetadataRefresh({
      context: fixture.context,
      source,
      timers,
      leadership,
      onError,
    });
    return { timers, commands, refresh };
  };
  let running = startProcess();
  const createWith: RefreshFixture["createWith"] = (metadataUrl, xml = "", name = "n") => {
    const application = { projectId: project, name, metadataXml: bytesOf(xml), metadataUrl };
    return running.commands.createSaml(callAs(organization), application);
  };
  return {
    fixture,
    server,
    organization,
    errors,
    get refresh() {
      return running.refresh;
    },
    get timers() {
      return running.timers;
    },
    restart(leadership) {
      running = startProcess(leadership);
    },
    createWith,
    create: async (name = "n") => (await createWith(url, "", name)).id,
    async createElsewhere(host, count) {
      const elsewhere = await fixture.addOrganization();
      const projectId = await fixture.addProject(elsewhere);
      for (let index = 0; index < count; index++) {
        const application = { projectId, name: `n${index}`, metadataXml: bytesOf("") };
        await running.commands.createSaml(callAs(elsewhere), {
          ...application,
          metadataUrl: `https://${host}/${index}`,
        });
      }
    },
    async samlOf(applicationId) {
      const asked = { projectId: project, applicationId };
      return samlOf(await running.commands.get(callAs(organization), asked));
    },
    async close() {
      await running.refresh.stop();
      await fixture.close();
    },
  };
}

type TestTimers = ReturnType<typeof createTestTimers>;

/** Timers that go off when a test says so. */
function createTestTimers() {
  let waiting: { readonly run: () => void; readonly ms: number }[] = [];
  const next = async () => {
    while (waiting[0] === undefined) await new Promise(setImmediate);
    return waiting[0];
  };
  return {
    setTimeout(run: () => void, ms: number) {
      const timer = { run, ms };
      waiting.push(timer);
      return timer;
    },
    clearTimeout(timer: unknown) {
      waiting = waiting.filter((each) => each !== timer);
    },
    /** Returns the timer that goes off next, once there is one. */
    next,
    async fire() {
      const timer = await next();
      waiting = waiting.filter((each) => each !== timer);
      timer.run();
    },
    pending: () => waiting.length,
  };
}
