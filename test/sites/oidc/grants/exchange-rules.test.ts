import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  type ApplicationId,
  type AuthorizationId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import {
  hashAccessToken,
  maxExchanges,
  type StoredAccessToken,
} from "../../../../src/identity/logins/access-tokens/access-token.ts";
import {
  decideExchange,
  keepResources,
  readExchange,
} from "../../../../src/sites/oidc/grants/exchange-rules.ts";
import { parseForm } from "../../../../src/sites/oidc/requests/form.ts";
import { OAuthError } from "../../../../src/sites/oidc/requests/oauth-error.ts";
import { oidcSettings } from "../../../support/samples.ts";

const iam = "urn:zitadel:iam";
const apiScope = `${iam}:org:project:id:zitadel:aud`;
const projectScope = (id: string) => `${iam}:org:project:id:${id}:aud`;
const roleScope = (key: string) => `${iam}:org:project:role:${key}`;
const types = "urn:ietf:params:oauth:token-type:";
const issuer = "https://id.example";

type Client = Parameters<typeof decideExchange>[0]["client"];

function clientWith(settings: Parameters<typeof oidcSettings>[0], id = "9"): Client {
  return { id: toId<ApplicationId>(id), settings: oidcSettings(settings) };
}

const client = clientWith({ grantTypes: ["TOKEN_EXCHANGE"], apiAccess: true });

function tokenWith(token: Partial<StoredAccessToken> = {}): StoredAccessToken {
  return {
    hash: hashAccessToken("subject"),
    userId: toId<UserId>("1"),
    basis: { kind: "authorization", authorizationId: toId<AuthorizationId>("2"), generation: 3 },
    clientId: "4",
    exchanges: [],
    act: undefined,
    jkt: undefined,
    lockCount: 5,
    scopes: ["openid"],
    audiences: ["4", "8"],
    issuedMs: 0,
    expirationMs: 3_600_000,
    ...token,
  };
}

type Decided = ReturnType<typeof decideExchange>["token"];

function exchange(
  subject: StoredAccessToken,
  how: Partial<Omit<Parameters<typeof decideExchange>[0], "subject">> = {},
): Decided {
  const asked = { scope: undefined, audiences: [] };
  const times = { nowMs: 1_000_000, accessTokenSeconds: 3600 };
  return decideExchange({ asked, subject, actor: undefined, client, jkt: undefined, ...times, ...how }).token;
}

/** Returns the error of a decision; undefined when there is none. */
function errorOf(decide: () => unknown): string | undefined {
  try {
    decide();
    return undefined;
  } catch (error) {
    if (error instanceof OAuthError) return error.code;
    throw error;
  }
}

describe("what a client asks for (RFC 8693 §2.1)", () => {
  const good = { subject_token: "s", subject_token_type: `${types}access_token` };
  const actor = { actor_token: "a", actor_token_type: `${types}jwt` };
  const read = (form: Readonly<Record<string, string>>, more = "") => {
    const body = `${new URLSearchParams(form).toString()}${more}`;
    return readExchange({ ...parseForm(Buffer.from(body)), issuer });
  };

  test("is an access token, unless it says more", () => {
    expect(read(good)).toEqual({
      subject: { name: "subject_token", text: "s", isJwt: false },
      actor: undefined,
      issuedType: `${types}access_token`,
      wantsJwt: false,
      scope: undefined,
      audiences: [],
      resources: [],
    });
    const all = { ...good, ...actor, requested_token_type: `${types}jwt`, scope: "openid" };
    expect(read(all, `&audience=1&resource=${issuer}&audience=2&audience=&resource=${issuer}`)).toEqual({
      subject: { name: "subject_token", text: "s", isJwt: false },
      actor: { name: "actor_token", text: "a", isJwt: true },
      issuedType: `${types}jwt`,
      wantsJwt: true,
      scope: "openid",
      audiences: ["1", "2", "gatehouse"],
      resources: [],
    });
  });

  // What the RFC asks of a request, in the words of its §2.1 and §2.2.2.
  test.each([
    ["subject_token is required", { subject_token: "" }],
    ["subject_token_type is required", { subject_token_type: "" }],
    ["an ID token is no subject", { subject_token_type: `${types}id_token` }],
    ["a refresh token is no subject", { subject_token_type: `${types}refresh_token` }],
    ["SAML is no subject", { subject_token_type: `${types}saml2` }],
    [
      "an id is no subject",
      { subject_token: "1", subject_token_type: "urn:zitadel:params:oauth:token-type:user_id" },
    ],
    ["a type has its full name", { subject_token_type: "access_token" }],
    ["actor_token_type is required with an actor", { actor_token: "a" }],
    ["actor_token_type says nothing alone", { actor_token_type: actor.actor_token_type }],
    ["an ID token is no actor", { ...actor, actor_token_type: `${types}id_token` }],
    ["no refresh token is given", { requested_token_type: `${types}refresh_token` }],
    ["no ID token is given", { requested_token_type: `${types}id_token` }],
  ])("%s", (_name, wrong) => {
    expect(errorOf(() => read({ ...good, ...wrong }))).toBe("invalid_request");
  });

  test("is a resource of the subject token, with a final slash or without", () => {
    const { resources } = read(good, "&resource=urn:a:b/&resource=urn:a:b");
    expect(keepResources(["urn:a:b", "https://api.example/"], resources)).toEqual(["urn:a:b"]);
    for (const audiences of [["urn:a:c"], ["8", "gatehouse"], []])
      expect(errorOf(() => keepResources(audiences, resources))).toBe("invalid_target");
    expect(errorOf(() => read(good, `&resource=${"x".repeat(300)}`))).toBe("invalid_target");
  });
});

describe("the new token", () => {
  test("stands for the same user, rests on the same login, and is the client's", () => {
    const subject = tokenWith();
    expect(exchange(subject)).toEqual({
      userId: subject.userId,
      basis: subject.basis,
      lockCount: subject.lockCount,
      clientId: "9",
      exchanges: [{ clientId: "9", subjectHash: subject.hash }],
      act: undefined,
      scopes: ["openid"],
      audiences: ["4", "8"],
      jkt: undefined,
      issuedMs: 1_000_000,
      expirationMs: 3_600_000, // not a moment later than the subject token
    });
    expect(exchange(subject, { accessTokenSeconds: 60 }).expirationMs).toBe(1_060_000);
  });

  test("lives for a second at least", () => {
    const ending = (expirationMs: number) => () => exchange(tokenWith({ expirationMs }));
    expect(errorOf(ending(1_000_999))).toBe("invalid_request");
    expect(ending(1_001_000)().expirationMs).toBe(1_001_000);
  });

  test("has the scopes that are asked for, of those that there are and that the client may have", () => {
    const scopes = ["openid", "email", "offline_access", apiScope, projectScope("8")];
    const subject = tokenWith({ scopes, audiences: ["4", "8", "gatehouse"] });
    const asked = (scope: string | undefined, by: Client = client) =>
      exchange(subject, { asked: { scope, audiences: [] }, client: by }).scopes;
    expect(asked(undefined)).toEqual(["openid", "email", apiScope, projectScope("8")]);
    expect(asked("email offline_access openid")).toEqual(["email", "openid"]);
    const mayNotCall = clientWith({ grantTypes: ["TOKEN_EXCHANGE", "REFRESH_TOKEN"] });
    expect(asked(`openid offline_access ${apiScope}`, mayNotCall)).toEqual(["openid"]);
    for (const wider of ["phone", `openid ${projectScope("7")}`, "openid unknown"])
      expect(errorOf(() => asked(wider))).toBe("invalid_scope");
  });

  test("has the limits of roles, unless it is limited further", () => {
    const [reader, writer] = [roleScope("reader"), roleScope("writer")];
    const subject = tokenWith({ scopes: ["openid", reader, "email", writer] });
    const asked = (scope: string) => exchange(subject, { asked: { scope, audiences: [] } }).scopes;
    expect(asked("openid")).toEqual(["openid", reader, writer]);
    expect(asked("")).toEqual([reader, writer]);
    expect(asked(`${writer} openid`)).toEqual([writer, "openid"]);
    expect(errorOf(() => asked(roleScope("owner")))).toBe("invalid_scope");
  });

  test("is for those who are asked for, of those whom the subject token is for", () => {
    const scopes = ["openid", apiScope, projectScope("8")];
    const subject = tokenWith({ scopes, audiences: ["4", "8", "gatehouse"] });
    const asked = (audiences: readonly string[], scope?: string) => {
      const token = exchange(subject, { asked: { scope, audiences } });
      return [token.audiences, token.scopes];
    };
    expect(asked([])).toEqual([["4", "8", "gatehouse"], scopes]);
    expect(asked(["gatehouse"])).toEqual([["gatehouse"], ["openid", apiScope]]);
    expect(asked(["8", "8"])).toEqual([["8"], ["openid", projectScope("8")]]);
    expect(asked([], "openid")).toEqual([["4", "8"], ["openid"]]); // our API only with its scope
    expect(errorOf(() => asked(["gatehouse"], "openid"))).toBe("invalid_target");
    for (const wider of ["9", "1", "", "gatehouse "])
      expect(errorOf(() => asked(["8", wider]))).toBe("invalid_target");
  });

  test("tells who acts, and who acted before", () => {
    const actor = tokenWith({ userId: toId("21"), clientId: "22" });
    const before = { userId: toId<UserId>("31"), clientId: "32", act: undefined };
    expect(exchange(tokenWith({ act: before })).act).toBe(before);
    expect(exchange(tokenWith(), { actor }).act).toEqual({ userId: "21", clientId: "22", act: undefined });
    expect(exchange(tokenWith({ act: before }), { actor }).act).toEqual({
      userId: "21",
      clientId: "22",
      act: before,
    });
    const acted = tokenWith({ act: before });
    expect(errorOf(() => exchange(tokenWith(), { actor: acted }))).toBe("invalid_request");
  });

  test("cannot be exchanged for ever", () => {
    let token = tokenWith();
    for (let times = 0; times < maxExchanges; times++)
      token = { ...exchange(token), hash: hashAccessToken(`${times}`) };
    expect(token.exchanges).toHaveLength(maxExchanges);
    expect(errorOf(() => exchange(token))).toBe("invalid_request");
  });
});

describe("for all tokens, clients and chains of exchanges", () => {
  const ids = ["4", "8", "9", "10", "gatehouse"];
  const roles = [roleScope("a"), roleScope("b")];
  const projects = [projectScope("8"), projectScope("10")];
  const scopeNames = ["openid", "email", "offline_access", apiScope, ...projects, ...roles];
  const step = fc.record({
    scope: fc.option(fc.subarray([...scopeNames, "phone", projectScope("7")]), { nil: undefined }),
    audiences: fc.subarray([...ids, "7"]),
    apiAccess: fc.boolean(),
    hasActor: fc.boolean(),
    passedMs: fc.nat(2_000_000),
  });
  const start = fc.record({
    scopes: fc.subarray(scopeNames),
    audiences: fc.subarray(ids, { minLength: 1 }),
    expirationMs: fc.integer({ min: 1, max: 4_000_000 }),
  });

  test("nothing grows", () => {
    fc.assert(
      fc.property(start, fc.array(step, { maxLength: 12 }), (first, steps) => {
        let subject = tokenWith(first);
        let nowMs = 0;
        for (const { scope, audiences, apiAccess, hasActor, passedMs } of steps) {
          nowMs += passedMs;
          const by = clientWith({ grantTypes: ["TOKEN_EXCHANGE"], apiAccess });
          const asked = { scope: scope?.join(" "), audiences };
          const actor = hasActor ? tokenWith({ userId: toId("21") }) : undefined;
          let next: Decided;
          try {
            next = exchange(subject, { asked, client: by, actor, nowMs });
          } catch (error) {
            if (error instanceof OAuthError) continue;
            throw error;
          }
          expect(next.userId).toBe(subject.userId);
          expect(next.scopes.filter((one) => !subject.scopes.includes(one))).toEqual([]);
          expect(next.audiences.filter((one) => !subject.audiences.includes(one))).toEqual([]);
          expect(next.expirationMs).toBeLessThanOrEqual(subject.expirationMs);
          const [granted, wanted] = [
            scope ?? subject.scopes,
            audiences.length > 0 ? audiences : next.audiences,
          ];
          expect(next.scopes.filter((one) => !granted.includes(one) && !roles.includes(one))).toEqual([]);
          const isLimited = (token: { readonly scopes: readonly string[] }) =>
            token.scopes.some((one) => roles.includes(one));
          expect(isLimited(next)).toBe(isLimited(subject));
          expect(new Set(next.audiences)).toEqual(new Set(wanted));
          const mayCallApi = apiAccess && next.scopes.includes(apiScope);
          expect(next.audiences.includes("gatehouse") && !mayCallApi).toBe(false);
          expect(next.exchanges.length).toBe(subject.exchanges.length + 1);
          subject = { ...next, hash: hashAccessToken(String(next.exchanges.length)) };
        }
        expect(subject.exchanges.length).toBeLessThanOrEqual(maxExchanges);
      }),
    );
  });
});
