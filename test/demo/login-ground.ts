import { randomUUID } from "node:crypto";

/** A service, and who calls it. */
export interface RestService {
  readonly url: string;
  /** Value of the header `authorization`. */
  readonly authorization: string;
}

/** An application with a secret, and somebody with a password who may log in to it. */
export interface LoginGround {
  readonly issuer: string;
  readonly redirectUri: string;
  readonly goodbyeUri: string;
  readonly client: { readonly id: string; readonly secret: string };
  readonly person: { readonly username: string; readonly password: string };
}

type Answer = Readonly<Record<string, string>>;

/** Makes a call through its REST path. Throws when it is refused. The ids in an answer are texts. */
export async function callRest(service: RestService, path: string, body: object): Promise<Answer> {
  const headers = { authorization: service.authorization, "content-type": "application/json" };
  const response = await fetch(service.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as Answer; // what it is used for is text
}

/** Makes an application and a human user, in the organization of the caller. */
export async function layLoginGround(
  service: RestService,
  signingAlgorithm = "SIGNING_ALGORITHM_RS256",
): Promise<LoginGround> {
  const redirectUri = "https://app.example/callback";
  const goodbyeUri = "https://app.example/goodbye";
  const project = await callRest(service, "/v1/projects", { name: `Login ${randomUUID()}` });
  const application = await callRest(service, `/v1/projects/${project["id"]}/apps/oidc`, {
    name: "Application",
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [goodbyeUri],
    signingAlgorithm,
    grantTypes: ["AUTHORIZATION_CODE", "REFRESH_TOKEN", "TOKEN_EXCHANGE"].map(
      (type) => `OIDC_GRANT_TYPE_${type}`,
    ),
  });
  const person = { username: `person-${randomUUID()}`, password: randomUUID() };
  const user = await callRest(service, "/v1/users/human", {
    username: person.username,
    givenName: "Grace",
    familyName: "Hopper",
    email: "grace@example.com",
  });
  await callRest(service, `/v1/users/${user["userId"]}/password`, { password: person.password });
  return {
    issuer: `http://localhost:${new URL(service.url).port}`,
    redirectUri,
    goodbyeUri,
    client: { id: application["clientId"] ?? "", secret: application["clientSecret"] ?? "" },
    person,
  };
}
