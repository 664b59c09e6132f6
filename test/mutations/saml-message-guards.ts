import type { Guard } from "./guards.ts";

const messages = "src/sites/saml/messages";
const tests = "test/sites/saml/messages";
const acs = { file: `${messages}/choose-acs.ts`, in: `${tests}/choose-acs.test.ts` };
const head = { file: `${messages}/message-head.ts`, in: `${tests}/message-head.test.ts` };
const nameId = { file: `${messages}/choose-name-id.ts`, in: `${tests}/choose-name-id.test.ts` };
const attributes = { file: `${messages}/choose-attributes.ts`, in: `${tests}/choose-attributes.test.ts` };
const conditions = { file: `${messages}/conditions.ts`, in: `${tests}/conditions.test.ts` };
const request = `${tests}/authn-request.test.ts`;
const logout = `${tests}/logout.test.ts`;

/** What keeps a message of a service provider from being taken for another, and an answer from the wrong hands. */
export const samlMessageGuards: readonly Guard[] = [
  {
    ...acs,
    name: "saml message: an endpoint by its index is by nothing else",
    change: ["if (index !== undefined && (url !== undefined || binding !== undefined)) throw refused();", ""],
  },
  {
    ...acs,
    name: "saml message: an endpoint takes HTTP-POST",
    change: ["(service) => service.binding === httpPostBinding);", "() => true);"],
  },
  {
    ...acs,
    name: "saml message: an endpoint is that of the metadata, byte for byte",
    change: ["service.location === url;", "url.startsWith(new URL(service.location).origin);"],
  },
  {
    ...acs,
    name: "saml message: an endpoint that is not known is not replaced by another",
    change: ["(index === undefined && url === undefined ? usable[0] : undefined)", "usable[0]"],
  },
  {
    ...head,
    name: "saml message: a signed message says where it goes",
    change: ["destination === undefined ? !isSigned :", "destination === undefined ||"],
  },
  {
    ...head,
    name: "saml message: a message is for us",
    change: ["destination === url;", "destination.startsWith(new URL(url).origin);"],
  },
  {
    ...head,
    name: "saml message: a message is of this time",
    change: ["Math.abs(nowMs - issueInstantMs) > maxClockDifferenceMs", "issueInstantMs > Infinity"],
  },
  {
    ...head,
    name: "saml message: a message ends at its NotOnOrAfter",
    change: ["nowMs >= notOnOrAfterMs", "nowMs > notOnOrAfterMs"],
  },
  {
    name: "saml message: a message has one issuer",
    file: `${messages}/elements.ts`,
    change: ["if (others.length > 0) throw malformedMessage();", ""],
    in: request,
  },
  {
    ...head,
    name: "saml message: an issuer is an entity",
    change: ["(format !== undefined && format !== entityFormat)", "format === issuer?.name"],
    in: request,
  },
  {
    name: "saml message: a subject with a confirmation is not served",
    file: `${messages}/authn-request.ts`,
    change: ["nameId === undefined || !isPlain", "nameId === undefined"],
    in: request,
  },
  {
    ...nameId,
    name: "saml message: a name is for the service provider that asks",
    change: [
      "if (qualifier !== undefined && qualifier !== serviceProvider.entityId)",
      "if (qualifier === null)",
    ],
  },
  {
    ...nameId,
    name: "saml message: an email that nobody has verified names nobody",
    change: ["user.isEmailVerified ? toPlain(format, user.email) : undefined", "toPlain(format, user.email)"],
  },
  {
    ...nameId,
    name: "saml message: the persistent names of two service providers differ",
    change: ["`${audience}\\0${user.id}`", "`${user.id}`"],
  },
  {
    ...nameId,
    name: "saml message: a stated name is of this service provider",
    change: [
      "nameQualifier !== naming.issuer || spNameQualifier !== naming.audience",
      "stated === undefined",
    ],
  },
  {
    ...attributes,
    name: "saml message: an email that nobody has verified is not told",
    change: ["user.isEmailVerified ? [user.email] : []", "[user.email]"],
  },
  {
    ...conditions,
    name: "saml message: conditions that are not known are not accepted",
    change: ["!requested.hasOthers &&", ""],
  },
  {
    ...conditions,
    name: "saml message: an audience that leaves out the service provider is not accepted",
    change: ["requested.audiences.every((each) => each.includes(audience)) &&", ""],
  },
  {
    ...conditions,
    name: "saml message: nobody is logged in whom the request names in another way",
    change: ['subject?.kind === "other" ||', ""],
  },
  {
    ...conditions,
    name: "saml message: an assertion is for one service provider",
    change: [
      'element("saml:AudienceRestriction", {}, [element("saml:Audience", {}, [audience])]),',
      'audience === "" ? element("saml:Audience", {}, []) : undefined,',
    ],
  },
  {
    name: "saml message: a logout names one user",
    file: `${messages}/logout-request.ts`,
    change: ["if (others.length + (nameId === undefined ? 0 : 1) !== 1) throw malformedMessage();", ""],
    in: logout,
  },
];
