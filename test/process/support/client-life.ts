import { ApiAuthMethodType } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { KeyType } from "../../../gen/gatehouse/v1/key_pb.ts";
import { OidcAuthMethodType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { type createCaller, idOf, publicKeySample, uniqueName, type World } from "../../support/world.ts";

const { method } = ApplicationService;

/** Has OIDC and API applications changed, and given secrets and keys, of which some end. */
export async function liveClients(
  act: ReturnType<typeof createCaller>,
  { projectId }: Pick<World, "projectId">,
): Promise<void> {
  const redirectUris = ["https://app.example.com/cb"];
  const oidc = await act(method.createOidcApplication, { projectId, name: uniqueName("Oidc"), redirectUris });
  const api = await act(method.createApiApplication, { projectId, name: uniqueName("Api") });
  const ofOidc = { projectId, appId: idOf(oidc, "appId") };
  const ofApi = { projectId, appId: idOf(api, "appId") };
  const key = { ...ofOidc, type: KeyType.JSON, publicKey: publicKeySample };
  const keyId = idOf(await act(method.addApplicationKey, key), "id");
  await act(method.removeApplicationKey, { ...ofOidc, keyId });
  await act(method.addApplicationKey, key);
  await act(method.updateOidcConfig, {
    ...ofOidc,
    redirectUris,
    authMethodType: OidcAuthMethodType.PRIVATE_KEY_JWT,
  });
  await act(method.generateClientSecret, ofApi);
  await act(method.updateApiConfig, { ...ofApi, authMethodType: ApiAuthMethodType.PRIVATE_KEY_JWT });
  // One that keeps its secret.
  await act(method.createApiApplication, { projectId, name: uniqueName("Api") });
}
