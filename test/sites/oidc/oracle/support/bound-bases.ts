import type { Field } from "../../support/user-agent.ts";
import {
  type Base,
  clientCredentials,
  code,
  codeFields,
  form,
  prove,
  refresh,
  userinfo,
  verifier,
} from "./bases.ts";
import { getCode, getTokens, redirectUris } from "./party.ts";
import { oracleKey, proveFor } from "./proof-alterations.ts";

/** The same request with a proof of possession. */
function withProof({ name, make, ...base }: Base): Base {
  return {
    ...base,
    name: `${name} with a proof`,
    async make(party) {
      const request = await make(party);
      return { ...request, headers: { ...request.headers, dpop: await proveFor(party, request) } };
    },
  };
}

/** A refresh token of a public client, which is bound to the key. */
const boundRefresh: Base = {
  ...refresh("public"),
  name: "refresh public, bound,",
  async make(party) {
    const redemption = await withProof(code("public")).make(party);
    const { refresh_token: token = "" } = await getTokens(party, redemption);
    const fields: readonly Field[] = [
      ["grant_type", "refresh_token"],
      ["refresh_token", token],
    ];
    return await prove(party, "public", form("token", fields));
  },
};

/** A code that was asked for with the thumbprint of the key. */
const boundCode: Base = {
  ...code("basic"),
  name: "code basic, bound,",
  async make(party) {
    const asked = [...codeFields(party, "basic"), ["dpop_jkt", oracleKey.jkt]] as const;
    const fields: readonly Field[] = [
      ["grant_type", "authorization_code"],
      ["code", await getCode(party, asked)],
      ["redirect_uri", redirectUris[0]],
      ["code_verifier", verifier],
    ];
    return await prove(party, "basic", form("token", fields));
  },
};

/** Userinfo with a token that is bound to the key. */
const boundUserinfo: Base = {
  ...userinfo,
  name: "userinfo, bound,",
  async make(party) {
    const redemption = await withProof(code("basic")).make(party);
    const { access_token: token = "" } = await getTokens(party, redemption);
    const headers = { authorization: `DPoP ${token}` };
    return { endpoint: "userinfo", method: "GET", fields: [], headers };
  },
};

/** Every good request with a proof. */
export const boundBases: readonly Base[] = [
  clientCredentials,
  code("public"),
  boundCode,
  boundRefresh,
  boundUserinfo,
].map(withProof);
