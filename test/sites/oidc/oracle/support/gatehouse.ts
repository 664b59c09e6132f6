import { OidcAppType, OidcAuthMethodType, OidcGrantType } from "../../../../../gen/gatehouse/v1/oidc_pb.ts";
import { startService } from "../../../../support/service.ts";
import {
  addApplicationKey,
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestPerson,
} from "../../support/login-place.ts";
import { createMachine } from "../../support/machine.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../../support/user-agent.ts";
import { type ClientName, methodOf, type OracleClient, type Party, redirectUris } from "./party.ts";

/** Starts Gatehouse with the clients of the oracle and somebody who is logged in. */
export async function startGatehouse(): Promise<{
  readonly party: Party;
  readonly userId: string;
}> {
  const service = await startService({ "trusted-proxies": "127.0.0.1" });
  const place = await createLoginPlace(service);
  const application = async (name: Exclude<ClientName, "machine">): Promise<OracleClient> => {
    const made = await createOidcApplication(service, place, settingsOf(name));
    const keyId = name === "key" ? await addApplicationKey(service, made, "ES256") : undefined;
    return { name, id: made.clientId, secret: made.secret, keyId };
  };
  const machine = await createMachine(service, place.organizationId);
  const clients: Party["clients"] = {
    basic: await application("basic"),
    post: await application("post"),
    key: await application("key"),
    public: await application("public"),
    strict: await application("strict"),
    machine: { name: "machine", id: machine.userId, secret: machine.secret, keyId: undefined },
  };
  const person: TestPerson = await createPerson(service, place.organizationId);
  const issuer = `http://localhost:${service.port}`;
  const { host } = new URL(issuer);
  let requests = 0;
  const send: Party["send"] = ({ headers, ...request }) => {
    requests += 1;
    const address = `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`;
    return service.http.send({ ...request, headers: { host, "x-forwarded-for": address, ...headers } });
  };
  const agent = openUserAgent({ origin: issuer, send });
  const party: Party = {
    name: "gatehouse",
    issuer,
    clients,
    clock: service.clock,
    agent,
    send,
    async logIn() {
      const url = toAuthorizationUrl(
        issuer,
        Object.entries({
          client_id: clients.basic.id,
          response_type: "code",
          redirect_uri: redirectUris[0],
          scope: "openid",
        }),
      );
      await logIn(agent, await agent.open(url), person);
    },
    async allowDevice(userCode) {
      const question = await agent.submit(await agent.open(`${issuer}/device?user_code=${userCode}`), {});
      const end = await agent.submit(question, { choice: "allow" });
      if (end.url.pathname !== "/device/allowed") throw new Error(`not allowed: ${end.page?.text}`);
    },
    stop: () => service.stop(),
  };
  return { party, userId: person.userId };
}

function settingsOf(name: Exclude<ClientName, "machine">) {
  return {
    redirectUris: [...redirectUris],
    grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN, OidcGrantType.DEVICE_CODE],
    appType: name === "public" ? OidcAppType.USER_AGENT : OidcAppType.WEB,
    authMethodType: {
      client_secret_basic: OidcAuthMethodType.BASIC,
      client_secret_post: OidcAuthMethodType.POST,
      private_key_jwt: OidcAuthMethodType.PRIVATE_KEY_JWT,
      none: OidcAuthMethodType.NONE,
    }[methodOf[name]],
    requirePkce: name === "strict",
  };
}
