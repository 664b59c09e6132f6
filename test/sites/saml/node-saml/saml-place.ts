import type { JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import {
  createLoginPlace,
  createPerson,
  type LoginPlace,
  type TestPerson,
} from "../../oidc/support/login-place.ts";
import { openUserAgent, type UserAgent } from "../../oidc/support/user-agent.ts";
import type { HttpClient } from "../../../support/http-client.ts";
import type { CallableService, TestService } from "../../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../../support/world.ts";

/** Where SAML applications of a test are, and somebody who can log in to them. */
export interface SamlPlace extends SamlParts {
  /** A browser without cookies. */
  openBrowser(): UserAgent;
  /** Makes an application of the metadata and returns its id. */
  addApplication(metadataXml: string, projectId?: string): Promise<string>;
  /** Returns the application as GetApplication has it. */
  readSaml(appId: string): Promise<JsonObject>;
}

/** What a place is made of. */
export interface SamlParts extends LoginPlace {
  readonly service: CallableService;
  /** The way to the service. */
  readonly http: HttpClient;
  readonly issuer: string;
  readonly person: TestPerson;
}

/** A place on a service in this process. */
export interface ServicePlace extends SamlPlace {
  readonly service: TestService;
  /** The address of the person, which is verified. */
  readonly email: string;
}

/** Makes an organization with a project, and somebody whose email address is verified. */
export async function createSamlPlace(service: TestService): Promise<ServicePlace> {
  const place = await createLoginPlace(service);
  const person = await createPerson(service, place.organizationId);
  const email = `${uniqueName("grace").toLowerCase().replaceAll(" ", "-")}@example.com`;
  const verification = { case: "isVerified", value: true } as const;
  await service.call(UserService.method.setEmail, { userId: person.userId, email, verification });
  const issuer = `http://localhost:${service.port}`;
  return { ...makeSamlPlace({ ...place, service, http: service.http, issuer, person }), service, email };
}

/** Makes a place in an organization that is there. */
export function makeSamlPlace(parts: SamlParts): SamlPlace {
  const { service, http, issuer, organizationId } = parts;
  const call = createCaller(service, organizationId);
  return {
    ...parts,
    openBrowser: () => openUserAgent({ origin: issuer, send: (request) => http.send(request) }),
    async addApplication(metadataXml, projectId = parts.projectId) {
      const made = await call(ApplicationService.method.createSamlApplication, {
        projectId,
        name: uniqueName("Portal"),
        metadataXml: Buffer.from(metadataXml),
      });
      return idOf(made, "appId");
    },
    async readSaml(appId) {
      const { projectId } = parts;
      const answer = await call(ApplicationService.method.getApplication, { projectId, appId });
      return (answer["application"] as { readonly saml: JsonObject }).saml; // as GetApplication has it
    },
  };
}

/** The metadata of the identity provider. */
export async function readMetadata({ http, issuer }: Pick<SamlParts, "http" | "issuer">): Promise<string> {
  const headers = { host: new URL(issuer).host };
  const { status, text } = await http.send({ method: "GET", path: "/saml/v2/metadata", headers });
  if (status !== 200) throw new Error(`no metadata: ${status} ${text}`);
  return text;
}

/** The certificates of the identity provider, as its metadata publishes them, in their order: base64 of the DER. */
export async function publishedCertificates(place: SamlPlace): Promise<readonly string[]> {
  const found = [...(await readMetadata(place)).matchAll(/X509Certificate>([^<]+)</g)];
  return found.map(([, certificate = ""]) => certificate);
}
