import type { MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { KeyType } from "../../../../gen/gatehouse/v1/key_pb.ts";
import { OrganizationService } from "../../../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { canaries } from "../../../support/canaries.ts";
import type { CallableService } from "../../../support/service.ts";
import { createCaller, createProject, idOf, uniqueName } from "../../../support/world.ts";
import { keyPairs } from "./machine.ts";

/** An application that people log in to. */
export interface TestApplication {
  readonly organizationId: string;
  readonly projectId: string;
  readonly appId: string;
  readonly clientId: string;
  /** Undefined: it has none. */
  readonly secret: string | undefined;
}

/** Somebody with a password. */
export interface TestPerson {
  readonly userId: string;
  readonly username: string;
  readonly password: string;
}

type Settings = Omit<
  MessageInitShape<typeof ApplicationService.method.createOidcApplication.input>,
  "$typeName"
>;

/** Where applications and people of a test are. */
export interface LoginPlace {
  readonly organizationId: string;
  readonly projectId: string;
}

/** Makes an organization with a project. */
export async function createLoginPlace(service: CallableService): Promise<LoginPlace> {
  const added = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Organization"),
  });
  const organizationId = idOf(added, "organizationId");
  return { organizationId, projectId: await createProject(service, organizationId) };
}

/** Makes an OIDC application in a project, with the defaults of Gatehouse but for what `settings` say. */
export async function createOidcApplication(
  service: CallableService,
  { organizationId, projectId }: LoginPlace,
  settings: Settings,
): Promise<TestApplication> {
  const made = await createCaller(service, organizationId)(ApplicationService.method.createOidcApplication, {
    projectId,
    name: uniqueName("Application"),
    ...settings,
  });
  const secret = made["clientSecret"];
  return {
    organizationId,
    projectId,
    appId: idOf(made, "appId"),
    clientId: idOf(made, "clientId"),
    secret: typeof secret === "string" && secret !== "" ? secret : undefined,
  };
}

/** Adds a key whose private half the tests have, and returns its id. */
export async function addApplicationKey(
  service: CallableService,
  { organizationId, projectId, appId }: TestApplication,
  algorithm: keyof typeof keyPairs,
): Promise<string> {
  const pem = keyPairs[algorithm].publicKey.export({ format: "pem", type: "spki" });
  const added = await createCaller(service, organizationId)(ApplicationService.method.addApplicationKey, {
    projectId,
    appId,
    type: KeyType.JSON,
    publicKey: Buffer.from(pem),
  });
  return idOf(added, "id");
}

/** Makes somebody who can log in with a password. */
export async function createPerson(service: CallableService, organizationId: string): Promise<TestPerson> {
  const username = uniqueName("person");
  const password = `correct horse ${uniqueName("battery")}`;
  canaries.add("password", password);
  const user = await createCaller(service, organizationId)(UserService.method.addHumanUser, {
    username,
    givenName: "Grace",
    familyName: "Hopper",
    email: "grace@example.com",
  });
  const userId = idOf(user, "userId");
  await service.call(UserService.method.setPassword, { userId, password });
  return { userId, username, password };
}
