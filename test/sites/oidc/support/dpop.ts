import type { TestService } from "../../../support/service.ts";
import { type ProofKey, signProof, type WrongProof } from "../../../support/proofs.ts";
import { apiScope, askForTokens, bySecret, issuerOf, type Machine } from "./machine.ts";

type Form = Readonly<Record<string, string | undefined>>;

/** What a test has otherwise in the proof of a request, or what it is made for. */
export interface WrongRequestProof extends WrongProof {
  readonly verb?: string;
  readonly path?: string;
  readonly accessToken?: string;
}

/** Signs a proof for a request to the service: to the token endpoint unless the test says otherwise. */
export function proofFor(
  service: TestService,
  key: ProofKey,
  { verb, path = "/oauth/v2/token", accessToken, ...wrong }: WrongRequestProof = {},
): Promise<string> {
  const made = { url: `${issuerOf(service)}${path}`, nowMs: service.clock.nowMs() };
  return signProof(
    key,
    {
      ...made,
      ...(verb === undefined ? {} : { verb }),
      ...(accessToken === undefined ? {} : { accessToken }),
    },
    wrong,
  );
}

/** Asks for tokens with a proof. */
export async function askWithProof(
  service: TestService,
  key: ProofKey,
  { form, ...wrong }: WrongRequestProof & { readonly form: Form },
) {
  return await askForTokens(service, form, { dpop: await proofFor(service, key, wrong) });
}

/** Gets an access token of a machine for our API that is bound to the key. */
export async function getBoundToken(service: TestService, machine: Machine, key: ProofKey): Promise<string> {
  const form = { ...bySecret(machine), scope: apiScope };
  const { status, json } = await askWithProof(service, key, { form });
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(json)}`);
  return String(json["access_token"]);
}

/** The headers of a request with a token that is bound to the key. */
export async function boundTo(
  service: TestService,
  key: ProofKey,
  { accessToken, ...wrong }: WrongRequestProof & { readonly accessToken: string },
): Promise<{ readonly authorization: string; readonly dpop: string }> {
  const dpop = await proofFor(service, key, { accessToken, ...wrong });
  return { authorization: `DPoP ${accessToken}`, dpop };
}
