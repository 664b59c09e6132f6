import type { Guard } from "./guards.ts";

const proofs = "test/identity/protocol-state/dpop/proof.test.ts";
const tokens = "test/sites/oidc/dpop.test.ts";
const refreshes = "test/sites/oidc/dpop-refresh.test.ts";
const api = "test/sites/oidc/dpop-api.test.ts";

/** What keeps somebody who has a token that is bound to a key, but not the key, from using it. */
export const dpopGuards: readonly Guard[] = [
  {
    name: "dpop: a proof is of its own type",
    file: "src/identity/protocol-state/dpop/proof.ts",
    changes: [['header["typ"] !== "dpop+jwt"', 'header["typ"] === 0']],
    in: proofs,
    test: "of its own type",
  },
  {
    name: "dpop: a proof is for one method",
    file: "src/identity/protocol-state/dpop/proof.ts",
    changes: [["htm !== verb", "htm === 0"]],
    in: proofs,
    test: "one method and one URL",
  },
  {
    name: "dpop: a proof is for one URL",
    file: "src/identity/protocol-state/dpop/proof.ts",
    changes: [["toTarget(htu) !== target", 'htu === ""']],
    in: proofs,
    test: "one method and one URL",
  },
  {
    name: "dpop: a proof is good for a minute",
    file: "src/identity/protocol-state/dpop/proof.ts",
    changes: [["!(Math.abs(nowSeconds - iat) <= windowSeconds)", "iat === nowMs"]],
    in: proofs,
    test: "a minute before and after",
  },
  {
    name: "dpop: the use of a proof is remembered until it is too old for every process",
    file: "src/identity/protocol-state/dpop/proof.ts",
    changes: [["const keptSeconds = 2 * windowSeconds;", "const keptSeconds = 1;"]],
    in: proofs,
    test: "remembered for longer",
  },
  {
    name: "dpop: a proof is for one access token",
    file: "src/identity/protocol-state/dpop/proof.ts",
    changes: [['ath !== hash("sha256", accessToken, "base64url")', "ath === 0"]],
    in: proofs,
    test: "for the access token that it comes with",
  },
  {
    name: "dpop: the key of a proof fits its algorithm",
    file: "src/identity/protocol-state/dpop/proof.ts",
    changes: [["key === undefined || !isKeyOf(algorithm, key)", "key === undefined"]],
    in: proofs,
    test: "by an algorithm of it",
  },
  {
    name: "dpop: a proof is signed with its key",
    file: "src/identity/protocol-state/dpop/proof.ts",
    changes: [["if (!(await isSignedBy(text, { algorithm, publicKey })))", "if (publicKey === undefined)"]],
    in: proofs,
    test: "is signed with that key",
  },
  {
    name: "dpop: a request for tokens uses its proof",
    file: "src/sites/oidc/tokens/issue-for-credential.ts",
    changes: [["toUses(use, proof?.use)", "toUses(use)"]],
    in: tokens,
    test: "of eight at once one is accepted",
  },
  {
    name: "dpop: a code is for the key that it was asked for with",
    file: "src/sites/oidc/grants/authorization-code.ts",
    changes: [["  requireProofFor(code.jkt, proof);\n", ""]],
    in: tokens,
    test: "by nobody but the holder of the key",
  },
  {
    name: "dpop: a used code ends what it gave only for who holds its key",
    file: "src/sites/oidc/grants/authorization-code.ts",
    changes: [
      [
        "  requireProofFor(code.jkt, proof);\n",
        "  if (code.usedMs === undefined) requireProofFor(code.jkt, proof);\n",
      ],
    ],
    in: tokens,
    test: "by nobody but the holder of the key",
  },
  {
    name: "dpop: a pushed request with a proof binds the code",
    file: "src/sites/oidc/endpoints/pushed-authorization.ts",
    changes: [
      ["toPushedParameters(request.form, proof?.jkt)", "toPushedParameters(request.form, undefined)"],
      ["proof !== undefined && proof.jkt !==", "proof?.jkt ==="],
    ],
    in: tokens,
    test: "binds the code to a key by its proof",
  },
  {
    name: "dpop: a pushed request names the key of its proof",
    file: "src/sites/oidc/endpoints/pushed-authorization.ts",
    changes: [["if (proof !== undefined && proof.jkt !==", "if (proof?.jkt === '' && proof.jkt !=="]],
    in: tokens,
    test: "with a proof of another key than it names",
  },
  {
    name: "dpop: a refresh token that is bound needs a proof",
    file: "src/sites/oidc/grants/refresh-token.ts",
    changes: [["  requireProofFor(stored.jkt, proof);\n", ""]],
    in: refreshes,
    test: "bound to the key that it was got with",
  },
  {
    name: "dpop: a token that is bound is exchanged for its holder only",
    file: "src/sites/oidc/grants/token-exchange.ts",
    changes: [
      [
        "for (const sent of [live, acting]) requireProofFor(",
        "for (const sent of [acting]) requireProofFor(",
      ],
    ],
    in: tokens,
    test: "exchanged for whoever holds its key",
  },
  {
    name: "dpop: refresh tokens of a device are bound",
    file: "src/sites/oidc/grants/device-code.ts",
    changes: [["jkt: keyOfFamily(client, proof) };", "jkt: undefined };"]],
    in: tokens,
    test: "a device gets tokens that are bound",
  },
  {
    name: "dpop: refresh tokens of a public client are bound with the code",
    file: "src/sites/oidc/grants/token-family.ts",
    changes: [["      jkt,\n", "      jkt: undefined,\n"]],
    in: refreshes,
    test: "bound to the key that it was got with",
  },
  {
    name: "dpop: refresh tokens of a public client are bound with a refresh",
    file: "src/sites/oidc/grants/refresh-token.ts",
    changes: [["jkt: stored.jkt ?? keyOfFamily(client, proof)", "jkt: stored.jkt"]],
    in: refreshes,
    test: "bound from the first proof on",
  },
  {
    name: "dpop: nobody gets a refresh token again for another key than it is bound to",
    file: "src/sites/oidc/grants/refresh-token.ts",
    changes: [["return successor.jkt === jkt ? token : undefined;", "return token;"]],
    in: refreshes,
    test: "uses it 0 ms after the thief",
  },
  {
    name: "dpop: nobody binds a refresh token that somebody else was given",
    file: "src/sites/oidc/grants/refresh-token.ts",
    changes: [["successor.jkt === jkt ? token", "(successor.jkt ?? jkt) === jkt ? token"]],
    in: refreshes,
    test: "just used it without a proof",
  },
  {
    name: "dpop: a used refresh token ends its family only for who holds its key",
    file: "src/sites/oidc/grants/refresh-token.ts",
    changes: [
      [
        "requireProofFor(stored.jkt, proof);",
        "requireProofFor(stored.usedMs === undefined ? stored.jkt : proof?.jkt, proof);",
      ],
    ],
    in: refreshes,
    test: "ends nothing when it comes again",
  },
  {
    name: "dpop: nobody makes us store proofs with requests that are refused",
    file: "src/sites/oidc/clients/assertion-use.ts",
    changes: [
      ['uses.find(({ kind }) => kind === "assertion")', "uses[0]"],
      ['uses.find(({ kind }) => kind === "proof")', "uses[1]"],
    ],
    in: tokens,
    test: "which anybody can send",
  },
  {
    name: "dpop: userinfo takes a token as it is bound",
    file: "src/sites/oidc/endpoints/userinfo.ts",
    changes: [[" || live.token.jkt !== proof?.jkt", ""]],
    in: tokens,
    test: "as a Bearer token, and another token",
  },
  {
    name: "dpop: userinfo takes a proof once",
    file: "src/sites/oidc/endpoints/userinfo.ts",
    changes: [["if (fault !== undefined) throw", 'if (fault === "") throw']],
    in: tokens,
    test: "one of eight requests with the same proof",
  },
  {
    name: "dpop: our API takes a token that is bound only with its proof",
    file: "src/identity/access/authentication.ts",
    changes: [
      ["if (credentials.token.jkt !== jkt)", "if (jkt !== undefined && credentials.token.jkt !== jkt)"],
    ],
    in: api,
    test: "over json with a token that is bound is made with a proof",
  },
  {
    name: "dpop: our API takes a token that is not bound only without proof",
    file: "src/identity/access/authentication.ts",
    changes: [["if (credentials.token.jkt !== jkt)", "if ((credentials.token.jkt ?? jkt) !== jkt)"]],
    in: api,
    test: "uses no proof up",
  },
  {
    name: "dpop: our API refuses a token with a proof in the scheme of proofs",
    file: "src/identity/access/authentication.ts",
    changes: [["\n    throw tokenInvalidFor(jkt);", "\n    throw tokenInvalid();"]],
    in: api,
    test: "in the scheme of its proof",
  },
  {
    name: "dpop: a write refuses a token in that scheme, too",
    file: "src/identity/access/authentication.ts",
    changes: [["tokenInvalidFor(caller.accessToken.jkt)", "tokenInvalid()"]],
    in: "test/identity/access/confirm.test.ts",
    test: "in the scheme that its token came by",
  },
  {
    name: "dpop: our API takes a proof once",
    file: "src/identity/access/access-control.ts",
    changes: [["if (fault !== undefined) throw", 'if (fault === "") throw']],
    in: api,
    test: "changes something once",
  },
  {
    name: "dpop: a read that begins twice uses its proof once",
    file: "src/sites/rpc/calls/pipeline.ts",
    changes: [["(used ??= accessControl.useProof(", "(used = accessControl.useProof("]],
    in: "test/sites/rpc/calls/pipeline.test.ts",
    test: "uses its proof once",
  },
];
