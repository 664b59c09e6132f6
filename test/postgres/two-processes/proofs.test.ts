import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { apiScope, bySecret, createMachine, type Machine } from "../../sites/oidc/support/machine.ts";
import { canaries } from "../../support/canaries.ts";
import { makeProofKey, signProof } from "../../support/proofs.ts";
import { refusalOf } from "../../support/service.ts";
import { createWorld } from "../../support/world.ts";
import { type Pair, type Process, startPair } from "./support/pair.ts";

// A proof of possession that one process has taken, no other one takes.

const issuer = "http://localhost:8080";
const key = makeProofKey();
const rounds = 5;

let pair: Pair;
let machine: Machine;
beforeAll(async () => {
  pair = await startPair({ issuer });
  const world = await createWorld(pair.one);
  machine = await createMachine(pair.one, world.organizationId);
});
afterAll(() => pair.close());

const sign = (path: string, accessToken?: string) =>
  signProof(key, {
    url: `${issuer}${path}`,
    nowMs: Date.now(),
    ...(accessToken === undefined ? {} : { accessToken }),
  });

async function askForToken(process: Process, dpop: string) {
  const answer = await fetch(`${process.url}/oauth/v2/token`, {
    method: "POST",
    headers: { dpop },
    body: new URLSearchParams({ ...bySecret(machine), scope: apiScope }),
  });
  const json = (await answer.json()) as { readonly access_token?: string; readonly error?: string };
  canaries.add("access token", json.access_token ?? "");
  return { status: answer.status, token: json.access_token ?? "", error: json.error };
}

const both = () => Array.from({ length: 4 }, () => [pair.one, pair.other]).flat();

test("of eight requests for tokens with one proof, at two processes at once, one is accepted", async () => {
  for (let round = 0; round < rounds; round++) {
    const dpop = await sign("/oauth/v2/token");
    const answers = await Promise.all(both().map((process) => askForToken(process, dpop)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ error }) => error === "invalid_dpop_proof")).toHaveLength(7);
  }
});

test("of eight calls with one proof, at two processes at once, one is made", async () => {
  const { token } = await askForToken(pair.one, await sign("/oauth/v2/token"));
  const path = "/gatehouse.v1.UserService/GetMyUser";
  for (let round = 0; round < rounds; round++) {
    const headers = { authorization: `DPoP ${token}`, dpop: await sign(path, token) };
    const calls = both().map(({ clients }) =>
      clients.grpc.call(UserService.method.getMyUser, {}, { headers }),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter(({ kind }) => kind === "answer")).toHaveLength(1);
    const refused = outcomes.filter(({ kind }) => kind === "error").map((each) => refusalOf(each).reason);
    expect(refused).toEqual(Array.from({ length: 7 }, () => "TOKEN_INVALID"));
  }
});
