import { beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Frame } from "playwright-core";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { Outcome } from "../support/clients.ts";
import { answerOf, refusalOf } from "../support/service.ts";
import { createHumanUser, idOf, uniqueName } from "../support/world.ts";
import type { PageClient, PageCredential } from "./page/protocol.ts";
import {
  addKey,
  attestationOf,
  type BrowserCredential,
  credentialOf,
  keyProtocols,
  removeKey,
  type VirtualKey,
} from "./support/authenticator.ts";
import { createPageCaller } from "./support/callers.ts";
import { usePage, useStage } from "./support/stage.ts";
import { openFrame, type Visit } from "./support/visit.ts";

const stage = useStage();
const home = usePage(stage);
let organizationId: string;
beforeAll(async () => {
  const added = await stage().service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Keys"),
  });
  organizationId = idOf(added, "organizationId");
});

/** A human user who calls with a token of their own. */
interface Person {
  readonly userId: string;
  readonly token: string;
}

interface Registration extends Person {
  readonly u2fId: string;
  /** PublicKeyCredentialCreationOptionsJSON. */
  readonly options: JsonObject;
}

/** Where a call is made from, and through which client. */
interface Place {
  readonly visit?: Visit;
  readonly client?: PageClient;
}

async function createPerson(): Promise<Person> {
  const userId = await createHumanUser(stage().service, organizationId);
  const answer = await stage().service.call(UserService.method.addPersonalAccessToken, { userId });
  return { userId, token: idOf(answer, "token") };
}

function callFrom(
  { visit = home(), client = "grpc-web" }: Place,
  rpc: string,
  { token, ...request }: JsonObject,
) {
  const call = createPageCaller(visit, stage().service, client);
  return call(UserService.typeName, rpc, request, { token: token as string });
}

/** Begins a registration, of a new user unless one is given. */
async function begin(person?: Person, place: Place = {}): Promise<Registration> {
  const { userId, token } = person ?? (await createPerson());
  const answer = answerOf(await callFrom(place, "RegisterU2f", { userId, token }));
  const { publicKey } = answer["publicKeyCredentialCreationOptions"] as { readonly publicKey: JsonObject };
  return { userId, token, u2fId: idOf(answer, "u2fId"), options: publicKey };
}

/** Completes it with that credential. */
function complete(
  { userId, token, u2fId }: Registration,
  publicKeyCredential: BrowserCredential,
  place: Place = {},
): Promise<Outcome> {
  return callFrom(place, "VerifyU2f", { userId, token, u2fId, publicKeyCredential, tokenName: "My key" });
}

/** Lets the page use a new key. */
async function withKey<T>(
  key: VirtualKey,
  steps: (authenticatorId: string) => Promise<T>,
  visit = home(),
): Promise<T> {
  const authenticatorId = await addKey(visit.devTools, key);
  try {
    return await steps(authenticatorId);
  } finally {
    await removeKey(visit.devTools, authenticatorId);
  }
}

function create(options: JsonObject, visit = home(), frame?: Frame): Promise<PageCredential> {
  return visit.run("createCredential", options, frame);
}

/** Has a new key of the page make the credential. */
async function createByNewKey(options: JsonObject, key: VirtualKey = { protocol: "ctap2" }, visit = home()) {
  return await withKey(key, async () => credentialOf(await create(options, visit)), visit);
}

/** Returns id, state and name of each second factor of the user. */
async function factorsOf({ userId }: Person): Promise<readonly (readonly unknown[])[]> {
  const { secondFactors } = await stage().service.call(UserService.method.listSecondFactors, { userId });
  const factors = secondFactors as JsonObject[]; // as ListSecondFactors has them
  return factors.map((factor) => [factor["id"], factor["state"], factor["name"]]);
}

describe.each(keyProtocols)("a %s key", (protocol) => {
  test.each<PageClient>(["grpc-web", "connect-web as grpc-web"])(
    "is registered without attestation through %s",
    async (client) => {
      const registration = await begin(undefined, { client });
      const credential = await createByNewKey(registration.options, { protocol });
      expect(attestationOf(credential)).toEqual({ format: "none", fields: [] });
      answerOf(await complete(registration, credential, { client }));
      expect(await factorsOf(registration)).toEqual([
        [registration.u2fId, "SECOND_FACTOR_STATE_READY", "My key"],
      ]);
    },
  );

  test("is registered with the attestation of its maker, where a page asks for it", async () => {
    const registration = await begin();
    expect(registration.options["attestation"]).toBe("none");
    const credential = await createByNewKey({ ...registration.options, attestation: "direct" }, { protocol });
    expect(attestationOf(credential)).toEqual(
      protocol === "u2f"
        ? { format: "fido-u2f", fields: ["sig", "x5c"] }
        : { format: "packed", fields: ["alg", "sig", "x5c"] },
    );
    answerOf(await complete(registration, credential));
  });

  test("is not registered twice for one user: the browser knows it", async () => {
    const person = await createPerson();
    const second = await withKey({ protocol }, async () => {
      const first = await begin(person);
      answerOf(await complete(first, credentialOf(await create(first.options))));
      return await create((await begin(person)).options);
    });
    expect(second).toEqual({ kind: "refused", error: "InvalidStateError" });
  });
});

describe("a registration", () => {
  test("cannot be completed with a credential of a foreign origin, but still with one of its own", async () => {
    const registration = await begin();
    const { foreign, visit } = stage();
    await visit(foreign.origin, async (page) => {
      const credential = await createByNewKey(registration.options, { protocol: "ctap2" }, page);
      const refused = await complete(registration, credential, { visit: page });
      expect(refusalOf(refused)).toMatchObject({ code: 3, reason: "U2F_ORIGIN_INVALID" });
      // Nor when it is carried to a page of the right origin.
      expect(refusalOf(await complete(registration, credential)).reason).toBe("U2F_ORIGIN_INVALID");
    });
    expect(await factorsOf(registration)).toEqual([
      [registration.u2fId, "SECOND_FACTOR_STATE_NOT_READY", ""],
    ]);
    answerOf(await complete(registration, await createByNewKey(registration.options)));
  });

  test("cannot be completed by a page of its origin in a frame of a foreign page", async () => {
    const registration = await begin();
    const { foreign, visit } = stage();
    await visit(foreign.origin, async (page) => {
      const frame = await openFrame(page, stage().home.origin, { allow: "publickey-credentials-create" });
      const credential = await withKey(
        { protocol: "ctap2" },
        async () => credentialOf(await create(registration.options, page, frame)),
        page,
      );
      const { clientDataJSON } = credential.response;
      expect(JSON.parse(Buffer.from(clientDataJSON, "base64url").toString())).toMatchObject({
        origin: stage().home.origin,
        crossOrigin: true,
      });
      const refused = await complete(registration, credential, { visit: page });
      expect(refusalOf(refused)).toMatchObject({ code: 3, reason: "U2F_ORIGIN_INVALID" });
    });
  });
});

describe("the relying party", () => {
  test("cannot be another one than that of the page: the browser refuses", async () => {
    const { options } = await begin();
    const created = await withKey({ protocol: "ctap2" }, () =>
      create({ ...options, rp: { id: "example.com", name: "Example" } }),
    );
    expect(created).toEqual({ kind: "refused", error: "SecurityError" });
  });

  test.each([
    ["a sub-domain", "evil.localhost"],
    ["the same machine by its address", "127.0.0.1"],
  ])("is not given to a page of %s: the browser refuses", async (_what, host) => {
    const { options } = await begin();
    const url = `http://${host}:${stage().home.port}`;
    const created = await stage().visit(url, (page) =>
      withKey({ protocol: "ctap2" }, () => create(options, page), page),
    );
    expect(created).toEqual({ kind: "refused", error: "SecurityError" });
  });
});
