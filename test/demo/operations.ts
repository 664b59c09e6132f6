import type { JsonObject } from "@bufbuild/protobuf";
import { type CreationOptions, registerInSoftware } from "../support/software-authenticator.ts";
import type { DemoClient } from "./clients.ts";

/** What the operations need to be there; made over the same content type. */
export interface Stage {
  readonly client: DemoClient;
  readonly suffix: string;
  readonly projectId: string;
  readonly userId: string;
  readonly phoneCode: string;
  readonly u2fId: string;
  readonly creationOptions: CreationOptions;
  /** Filled by AddJwtIdentityProvider. */
  readonly idpId: string;
}

export interface Operation {
  readonly service: string;
  readonly rpc: string;
  readonly hasCreationDate: boolean;
  /** Other fields of the answer that must not be empty. */
  readonly alsoAnswers: readonly string[];
  request(stage: Stage): object | Promise<object>;
}

const users = "gatehouse.v1.UserService";
const projects = "gatehouse.v1.ProjectService";
const providers = "gatehouse.v1.IdentityProviderService";

const jwt = {
  jwtEndpoint: "https://idp.example.com/jwt",
  issuer: "https://idp.example.com",
  keysEndpoint: "https://idp.example.com/keys",
  headerName: "x-jwt",
};

/** Makes a project with a role, a human user with a phone that waits for its code, a pending u2f token, and a provider. */
export async function prepare(client: DemoClient): Promise<Stage> {
  const suffix = client.contentType.replaceAll(/[^a-z]+/g, "-");
  const need = async (service: string, rpc: string, request: object): Promise<JsonObject> => {
    const answer = await client.call(service, rpc, request);
    if (!answer.ok) throw new Error(`${rpc} over ${client.contentType}: ${answer.status}`);
    return answer.body;
  };
  const project = await need(projects, "AddProject", { name: `Website ${suffix}` });
  await need(projects, "AddProjectRole", { projectId: project["id"], roleKey: "reader" });
  const human = {
    username: `ada-${suffix}`,
    givenName: "Ada",
    familyName: "Lovelace",
    email: "ada@example.com",
  };
  const user = await need(users, "AddHumanUser", human);
  const { userId } = user;
  const phone = await need(users, "SetPhone", { userId, phone: "+41781234567", returnCode: {} });
  const u2f = await need(users, "RegisterU2f", { userId });
  const idp = await need(providers, "CreateIdentityProvider", { name: `Directory ${suffix}`, jwt });
  return {
    client,
    suffix,
    projectId: textOf(project["id"]),
    userId: textOf(userId),
    phoneCode: textOf(phone["verificationCode"]),
    u2fId: textOf(u2f["u2fId"]),
    creationOptions: u2f["publicKeyCredentialCreationOptions"] as unknown as CreationOptions,
    idpId: textOf(idp["idpId"]),
  };
}

/** The eight operations. */
export const operations: readonly Operation[] = [
  {
    service: providers,
    rpc: "AddJwtIdentityProvider",
    hasCreationDate: true,
    alsoAnswers: ["idpId"],
    request: ({ suffix }) => ({ name: `JWT ${suffix}`, ...jwt }),
  },
  {
    service: providers,
    rpc: "AddOidcIdentityProvider",
    hasCreationDate: true,
    alsoAnswers: ["idpId"],
    request: ({ suffix }) => ({
      name: `OIDC ${suffix}`,
      clientId: "gatehouse",
      clientSecret: "not-a-real-secret",
      issuer: "https://accounts.example.com",
      scopes: ["openid", "email"],
    }),
  },
  {
    service: providers,
    rpc: "UpdateJwtIdentityProvider",
    hasCreationDate: true,
    alsoAnswers: [],
    request: ({ idpId }) => ({ idpId, ...jwt, headerName: "" }),
  },
  {
    service: users,
    rpc: "VerifyU2f",
    hasCreationDate: false,
    alsoAnswers: [],
    request: ({ userId, u2fId, creationOptions }) => ({
      userId,
      u2fId,
      publicKeyCredential: registerInSoftware(creationOptions),
      tokenName: "Software key",
    }),
  },
  {
    service: users,
    rpc: "VerifyPhone",
    hasCreationDate: false,
    alsoAnswers: [],
    request: ({ userId, phoneCode }) => ({ userId, verificationCode: phoneCode }),
  },
  {
    service: projects,
    rpc: "UpdateProject",
    hasCreationDate: true,
    alsoAnswers: [],
    request: ({ projectId, suffix }) => ({
      id: projectId,
      name: `Website ${suffix} 2`,
      projectRoleCheck: true,
    }),
  },
  {
    service: "gatehouse.v1.UserGrantService",
    rpc: "AddUserGrant",
    hasCreationDate: true,
    alsoAnswers: ["userGrantId"],
    request: ({ userId, projectId }) => ({ userId, projectId, roleKeys: ["reader"] }),
  },
  {
    service: "gatehouse.v1.ApplicationService",
    rpc: "CreateSamlApplication",
    hasCreationDate: true,
    alsoAnswers: ["appId", "entityId"],
    request: ({ projectId, suffix }) => ({
      projectId,
      name: `Portal ${suffix}`,
      metadataXml: Buffer.from(
        `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://sp.example.com/${suffix}">
          <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
            <AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://sp.example.com/acs" index="0"/>
          </SPSSODescriptor>
        </EntityDescriptor>`,
      ).toString("base64"),
    }),
  },
];

function textOf(value: JsonObject[string] | undefined): string {
  if (typeof value !== "string") throw new Error("the answer has no such text");
  return value;
}
