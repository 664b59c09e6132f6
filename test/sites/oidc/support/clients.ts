import type { DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { ApiAuthMethodType } from "../../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { KeyType } from "../../../../gen/gatehouse/v1/key_pb.ts";
import { OidcAppType, OidcAuthMethodType } from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import type { CallableService } from "../../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../../support/world.ts";
import { keyPairs, type Machine, type MachineKey } from "./machine.ts";

/** An application with what it authenticates with. */
export interface ClientOfTest {
  readonly organizationId: string;
  readonly projectId: string;
  /** Its id as a client, too. */
  readonly appId: string;
  /** Empty when it has none. */
  readonly secret: string;
}

const { method } = ApplicationService;

/** Makes an OIDC application in a project of its own. */
export async function createOidc(
  service: CallableService,
  organizationId: string,
  fields: Partial<MessageInitShape<typeof method.createOidcApplication.input>> = {},
): Promise<ClientOfTest> {
  return await create(service, organizationId, (projectId) => [
    method.createOidcApplication,
    { projectId, name: "App", redirectUris: ["https://app.example/cb"], ...fields },
  ]);
}

/** Makes an API application in a project of its own. */
export async function createApi(
  service: CallableService,
  organizationId: string,
  authMethodType: ApiAuthMethodType = ApiAuthMethodType.BASIC,
): Promise<ClientOfTest> {
  return await create(service, organizationId, (projectId) => [
    method.createApiApplication,
    { projectId, name: "Api", authMethodType },
  ]);
}

/** Makes an OIDC application that authenticates by that method: NATIVE for NONE, else WEB. */
export function createOidcBy(
  service: CallableService,
  organizationId: string,
  authMethod: "BASIC" | "POST" | "NONE" | "PRIVATE_KEY_JWT",
): Promise<ClientOfTest> {
  return createOidc(service, organizationId, {
    appType: authMethod === "NONE" ? OidcAppType.NATIVE : OidcAppType.WEB,
    authMethodType: OidcAuthMethodType[authMethod],
  });
}

/** Adds a key whose private half the test has, and returns the application as something that signs assertions. */
export async function addApplicationKey(
  service: CallableService,
  { organizationId, projectId, appId, secret }: ClientOfTest,
  expirationMs?: number,
): Promise<Machine> {
  const algorithm = "ES256";
  const { publicKey, privateKey } = keyPairs[algorithm];
  const added = await createCaller(service, organizationId)(method.addApplicationKey, {
    projectId,
    appId,
    type: KeyType.JSON,
    publicKey: Buffer.from(publicKey.export({ format: "pem", type: "spki" })),
    ...(expirationMs === undefined
      ? {}
      : { expirationDate: { seconds: BigInt(Math.floor(expirationMs / 1000)), nanos: 0 } }),
  });
  const key: MachineKey = { keyId: idOf(added, "id"), algorithm, privateKey };
  return { userId: appId, secret, key };
}

async function create(
  service: CallableService,
  organizationId: string,
  requestOf: (projectId: string) => readonly [DescMethodUnary, Readonly<Record<string, unknown>>],
): Promise<ClientOfTest> {
  const inside = createCaller(service, organizationId);
  const project = await inside(ProjectService.method.addProject, { name: uniqueName("Project") });
  const projectId = idOf(project, "id");
  const [asked, request] = requestOf(projectId);
  const answer = await inside(asked, request);
  const { clientSecret } = answer;
  return {
    organizationId,
    projectId,
    appId: idOf(answer, "appId"),
    secret: typeof clientSecret === "string" ? clientSecret : "",
  };
}
