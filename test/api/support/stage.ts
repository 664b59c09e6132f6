import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { TestService } from "../../support/service.ts";
import { type CreationOptions, registerInSoftware } from "../../support/software-authenticator.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  idOf,
  jwtConfig,
  nextPhone,
  samlMetadata,
  uniqueName,
} from "../../support/world.ts";

/** What the eight operations need to be there, used up by none of them but once. */
export interface Stage {
  readonly organizationId: string;
  readonly projectId: string;
  readonly idpId: string;
  readonly userId: string;
  readonly phoneCode: string;
  readonly u2fId: string;
  readonly creationOptions: CreationOptions;
}

/** Makes the objects in an organization, as the administrator. */
export async function setStage(service: TestService, organizationId: string): Promise<Stage> {
  const inside = createCaller(service, organizationId);
  const userId = await createHumanUser(service, organizationId);
  const phone = await service.call(UserService.method.setPhone, {
    userId,
    phone: nextPhone(),
    verification: { case: "returnCode", value: {} },
  });
  const u2f = await service.call(UserService.method.registerU2f, { userId });
  const idp = await inside(IdentityProviderService.method.createIdentityProvider, {
    name: uniqueName("Provider"),
    config: { case: "jwt", value: jwtConfig },
  });
  return {
    organizationId,
    projectId: await createProject(service, organizationId, ["reader", "writer"]),
    idpId: idOf(idp, "idpId"),
    userId,
    phoneCode: idOf(phone, "verificationCode"),
    u2fId: idOf(u2f, "u2fId"),
    creationOptions: u2f["publicKeyCredentialCreationOptions"] as unknown as CreationOptions,
  };
}

/** One of the eight operations, with a request that succeeds once on a stage. */
export interface Operation {
  readonly method: DescMethodUnary;
  /** What an answer holds beside `details`. */
  readonly alsoAnswers: readonly string[];
  /** Whether interface.md lists the header x-service-orgid. */
  readonly readsHeader: boolean;
  readonly effect: "creates" | "updates" | "verifies";
  request(stage: Stage): MessageInitShape<DescMethodUnary["input"]>;
  /** Reads the details of the object afterwards. */
  read(service: TestService, stage: Stage, answer: JsonObject): Promise<JsonObject>;
}

const providers = IdentityProviderService.method;
const users = UserService.method;

const readProvider =
  (idOfProvider: (stage: Stage, answer: JsonObject) => string): Operation["read"] =>
  async (service, stage, answer) => {
    // The organization is that of the answer: AddJwtIdentityProvider does not act on that of the stage.
    const inside = createCaller(service, ownerOf(answer));
    const read = await inside(providers.getIdentityProvider, { idpId: idOfProvider(stage, answer) });
    return detailsOf(read, "identityProvider");
  };

/** The eight operations of interface.md, in its order. */
export const operations: readonly Operation[] = [
  {
    method: providers.addJwtIdentityProvider,
    alsoAnswers: ["idpId"],
    readsHeader: false,
    effect: "creates",
    request: () => ({ name: uniqueName("JWT"), ...jwtConfig }),
    read: readProvider((_stage, answer) => idOf(answer, "idpId")),
  },
  {
    method: providers.addOidcIdentityProvider,
    alsoAnswers: ["idpId"],
    readsHeader: true,
    effect: "creates",
    request: () => ({
      name: uniqueName("OIDC"),
      clientId: "client",
      clientSecret: "a-client-secret",
      issuer: "https://accounts.example.com",
    }),
    read: readProvider((_stage, answer) => idOf(answer, "idpId")),
  },
  {
    method: providers.updateJwtIdentityProvider,
    alsoAnswers: [],
    readsHeader: true,
    effect: "updates",
    request: ({ idpId }) => ({ idpId, ...jwtConfig, issuer: "another issuer" }),
    read: readProvider(({ idpId }) => idpId),
  },
  {
    method: users.verifyU2f,
    alsoAnswers: [],
    readsHeader: false,
    effect: "verifies",
    request: ({ userId, u2fId, creationOptions }) => ({
      userId,
      u2fId,
      publicKeyCredential: registerInSoftware(creationOptions),
      tokenName: "Software key",
    }),
    read: async (service, { userId }) => {
      const { secondFactors } = await service.call(users.listSecondFactors, { userId });
      const [factor = {}] = secondFactors as readonly JsonObject[]; // the user has one
      return factor["details"] as JsonObject;
    },
  },
  {
    method: users.verifyPhone,
    alsoAnswers: [],
    readsHeader: false,
    effect: "verifies",
    request: ({ userId, phoneCode }) => ({ userId, verificationCode: phoneCode }),
    read: async (service, { userId }) => detailsOf(await service.call(users.getUser, { userId }), "user"),
  },
  {
    method: ProjectService.method.updateProject,
    alsoAnswers: [],
    readsHeader: true,
    effect: "updates",
    request: ({ projectId }) => ({ id: projectId, name: `Renamed ${projectId}`, hasProjectCheck: true }),
    read: async (service, { organizationId, projectId }) =>
      detailsOf(
        await createCaller(service, organizationId)(ProjectService.method.getProject, { id: projectId }),
        "project",
      ),
  },
  {
    method: UserGrantService.method.addUserGrant,
    alsoAnswers: ["userGrantId"],
    readsHeader: true,
    effect: "creates",
    request: ({ userId, projectId }) => ({ userId, projectId, roleKeys: ["reader"] }),
    read: async (service, { organizationId, userId }, answer) =>
      detailsOf(
        await createCaller(service, organizationId)(UserGrantService.method.getUserGrant, {
          userId,
          grantId: idOf(answer, "userGrantId"),
        }),
        "userGrant",
      ),
  },
  {
    method: ApplicationService.method.createSamlApplication,
    alsoAnswers: ["appId", "entityId"],
    readsHeader: true,
    effect: "creates",
    request: ({ projectId }) => ({
      projectId,
      name: "Portal",
      metadataXml: samlMetadata(`https://sp.example.com/${projectId}`),
    }),
    read: async (service, { organizationId, projectId }, answer) =>
      detailsOf(
        await createCaller(service, organizationId)(ApplicationService.method.getApplication, {
          projectId,
          appId: idOf(answer, "appId"),
        }),
        "application",
      ),
  },
];

function detailsOf(answer: JsonObject, field: string): JsonObject {
  return (answer[field] as JsonObject)["details"] as JsonObject; // the contract has both
}

function ownerOf(answer: JsonObject): string {
  return idOf(answer["details"] as JsonObject, "resourceOwner");
}
