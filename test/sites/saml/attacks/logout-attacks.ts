import { signMessage, writeQuery } from "./forge.ts";
import { type Attack, type AttackGround, byPost, id, type RequestParts, slo } from "./ground.ts";

/** The NameID of the person at the service provider that is attacked. */
export const victimsName = (ground: AttackGround) => `<saml:NameID>${ground.victim()}</saml:NameID>`;

/** A LogoutRequest by HTTP-Redirect, signed by the target. */
const signed = (toParts: (ground: AttackGround) => RequestParts) => (ground: AttackGround) => ({
  path: slo,
  query: writeQuery({
    xml: ground.logout("LogoutRequest", { content: victimsName(ground), ...toParts(ground) }),
    key: ground.target.keys.privateKey,
  }),
});
const good = (ground: AttackGround) => ground.logout("LogoutRequest", { content: victimsName(ground) });

/** What would end the session of somebody else, or make us believe that another service provider has ended its own. */
export const logoutAttacks: readonly Attack[] = [
  [
    "a LogoutRequest without signature in the query",
    (ground) => ({ path: slo, query: writeQuery({ xml: good(ground) }) }),
  ],
  ["a LogoutRequest without signature on POST", (ground) => byPost(good(ground), {}, slo)],
  [
    "a LogoutRequest signed by another service provider, in the query",
    (ground) => ({ path: slo, query: writeQuery({ xml: good(ground), key: ground.other.keys.privateKey }) }),
  ],
  [
    "a LogoutRequest signed by another service provider, on POST",
    (ground) => byPost(signMessage(good(ground), { key: ground.other.keys.privateKey, id }), {}, slo),
  ],
  [
    "a LogoutRequest that was changed",
    (ground) =>
      byPost(
        signMessage(good(ground), { key: ground.target.keys.privateKey, id }).replace(ground.victim(), "x"),
        {},
        slo,
      ),
  ],
  ["a LogoutRequest without Destination", signed(() => ({ attributes: { Destination: undefined } }))],
  [
    "a LogoutRequest with the Destination of logins",
    signed(({ issuer }) => ({ attributes: { Destination: `${issuer}/saml/v2/SSO` } })),
  ],
  [
    "a LogoutRequest of 11 minutes ago",
    signed(({ instant }) => ({ attributes: { IssueInstant: instant(-660) } })),
  ],
  [
    "a LogoutRequest that was good until now",
    signed(({ instant }) => ({ attributes: { NotOnOrAfter: instant(0) } })),
  ],
  ["a LogoutRequest of nobody", signed(() => ({ content: "" }))],
  [
    "a LogoutRequest with a comment in NameID",
    signed((ground) => ({ content: victimsName(ground).replace("</", "<!-- --></") })),
  ],
  [
    "a LogoutRequest with CDATA in SessionIndex",
    signed((ground) => ({
      content: `${victimsName(ground)}<samlp:SessionIndex><![CDATA[x]]></samlp:SessionIndex>`,
    })),
  ],
  [
    "a LogoutRequest of somebody whom nobody knows",
    signed(() => ({ issuer: "<saml:Issuer>https://nobody.example</saml:Issuer>" })),
  ],
  ["an AuthnRequest where somebody logs out", signed(() => ({ root: "AuthnRequest" }))],
  [
    "a LogoutResponse from nowhere",
    (ground) => ({
      path: slo,
      query: writeQuery({
        xml: ground.logout("LogoutResponse", { content: success }),
        key: ground.target.keys.privateKey,
        kind: "SAMLResponse",
      }),
    }),
  ],
  [
    "a LogoutResponse without signature",
    (ground) => ({
      path: slo,
      query: writeQuery({ xml: ground.logout("LogoutResponse", { content: success }), kind: "SAMLResponse" }),
    }),
  ],
  [
    "a LogoutRequest as SAMLResponse",
    (ground) => ({
      path: slo,
      query: writeQuery({ xml: good(ground), key: ground.target.keys.privateKey, kind: "SAMLResponse" }),
    }),
  ],
  [
    "a LogoutRequest where somebody logs in",
    (ground) => ({
      path: "/saml/v2/SSO",
      query: writeQuery({ xml: good(ground), key: ground.target.keys.privateKey }),
    }),
  ],
];

const success =
  '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode></samlp:Status>';
