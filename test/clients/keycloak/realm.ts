/** The realm that Keycloak is asked to make: what people have there, in the words of its admin API (RealmRepresentation). */

/** How many people there are, by what keeps their passwords. */
export const counts = { argon2: 600, "pbkdf2-sha256": 200, "pbkdf2-sha512": 200 } as const;
/** The kind of hash of passwords. */
export type HashKind = keyof typeof counts;

/** Every fifth person has an authenticator app, whose key are the characters of this text and the number of the person. */
export const totpText = (index: number): string => `totp-of-${String(index).padStart(12, "0")}`;
/** Says whether the person has an app. */
export const hasTotp = (index: number): boolean => index % 5 === 0;
/** The password of a person. */
export const passwordOf = (index: number): string => `Correct horse ${index} battery`;
/** The username of a person. */
export const usernameOf = (index: number): string => `person-${index}`;
/** The secrets of confidential clients; the second one is what people type, the third one of a service account. */
export const clientSecrets = {
  shop: "k3YbQ9sT1vX7zA5cE8gI2mO4qS6uW0yB",
  legacy: "changeme",
  robot: "Zr4tY8uI0oP3aS5dF7gH9jK1lQ2wE6",
} as const;
/** Where the client `shop` gets its codes. */
export const redirectUri = "https://shop.example/callback";

/** Makes a person. */
export function makePerson(index: number): object {
  return {
    username: usernameOf(index),
    email: `${usernameOf(index)}@example.com`,
    emailVerified: index % 2 === 0,
    firstName: "Person",
    lastName: `Number ${index}`,
    enabled: index % 50 !== 49,
    attributes: { locale: ["de"], shoeSize: ["38"] },
    groups: [["/staff", "/staff/berlin", "/staff/berlin/sales"][index % 3]],
    realmRoles: index % 4 === 0 ? ["reader", "chief"] : ["reader"],
    clientRoles: { shop: ["buyer"] },
    credentials: [
      { type: "password", value: passwordOf(index) },
      ...(hasTotp(index) ? [totpCredential(index)] : []),
    ],
    federatedIdentities:
      index % 10 === 0
        ? [{ identityProvider: "corporate", userId: `corp-${index}`, userName: `corp.${index}` }]
        : [],
    ...(index === 7 ? { requiredActions: ["UPDATE_PASSWORD"] } : {}),
  };
}

function totpCredential(index: number): object {
  return {
    type: "otp",
    userLabel: "phone",
    secretData: JSON.stringify({ value: totpText(index) }),
    credentialData: JSON.stringify({
      subType: "totp",
      digits: 6,
      counter: 0,
      period: 30,
      algorithm: "HmacSHA1",
    }),
  };
}

/** Everything but people. */
export const realm = {
  realm: "shop-realm",
  enabled: true,
  loginTheme: "keycloak",
  roles: {
    realm: [
      { name: "reader", description: "Reads" },
      { name: "chief", composite: true, composites: { realm: ["reader"], client: { shop: ["manager"] } } },
    ],
    client: { shop: [{ name: "buyer" }, { name: "manager" }] },
  },
  groups: [
    {
      name: "staff",
      realmRoles: ["reader"],
      subGroups: [
        { name: "berlin", clientRoles: { shop: ["manager"] }, subGroups: [{ name: "sales", subGroups: [] }] },
      ],
    },
  ],
  clients: [
    {
      clientId: "shop",
      secret: clientSecrets.shop,
      redirectUris: [redirectUri, "https://shop.example/any/*"],
      webOrigins: ["+"],
      attributes: { "post.logout.redirect.uris": "https://shop.example/bye" },
      protocolMappers: [
        {
          name: "shoe",
          protocol: "openid-connect",
          protocolMapper: "oidc-usermodel-attribute-mapper",
          config: { "user.attribute": "shoeSize", "claim.name": "shoe_size", "id.token.claim": "true" },
        },
      ],
    },
    {
      clientId: "legacy",
      secret: clientSecrets.legacy,
      redirectUris: ["https://legacy.example/callback"],
      directAccessGrantsEnabled: true,
    },
    { clientId: "page", publicClient: true, redirectUris: ["https://page.example/callback"] },
    {
      clientId: "https://sp.example/saml",
      protocol: "saml",
      attributes: {
        saml_assertion_consumer_url_post: "https://sp.example/acs",
        "saml.client.signature": "false",
        saml_name_id_format: "persistent",
      },
      redirectUris: ["https://sp.example/acs"],
    },
    {
      clientId: "robot",
      secret: clientSecrets.robot,
      serviceAccountsEnabled: true,
      standardFlowEnabled: false,
    },
  ],
  identityProviders: [
    {
      alias: "corporate",
      displayName: "Corporate",
      providerId: "oidc",
      enabled: true,
      config: {
        issuer: "https://login.corporate.example",
        authorizationUrl: "https://login.corporate.example/authorize",
        tokenUrl: "https://login.corporate.example/token",
        clientId: "gate",
        clientSecret: "a-secret-of-the-corporate-provider",
        defaultScope: "openid profile email",
      },
    },
  ],
} as const;
