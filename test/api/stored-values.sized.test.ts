import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type DescMessage, type DescMethodUnary, getOption } from "@bufbuild/protobuf";
import { OrganizationSource } from "../../gen/gatehouse/v1/access_pb.ts";
import { Effect, effect as effectOption } from "../../gen/gatehouse/v1/effect_pb.ts";
import { actsOnNobodyElse, namingFields } from "../../src/identity/access/stored-values/harmless.ts";
import type { Need, Setters } from "../../src/identity/access/stored-values/stored-value.ts";
import { storedValues } from "../../src/identity/access/stored-values/stored-values.ts";
import { toRequest } from "../support/clients.ts";
import { listMethods, ruleOf } from "../support/methods.ts";
import { sized } from "../support/size.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { type Attempt, attemptsFor } from "./support/stored-value-attempts.ts";
import { listMatrixRpcs, type MatrixRpc } from "./support/tenancy-rpcs.ts";
import { createTenancyWorld, type TenancyWorld } from "./support/tenancy-world.ts";

const changing = (await listMethods()).filter((method) => getOption(method, effectOption) !== Effect.READ);
const byName = new Map(changing.map((method) => [method.name, method]));

/** Each field that can be set, by proto path; those of a part of ours one by one, unless it is a list. */
function pathsIn(message: DescMessage, prefix = ""): readonly string[] {
  return message.fields.flatMap((field) => {
    const path = `${prefix}${field.name}`;
    const isPart = field.fieldKind === "message" && field.oneof?.name === "config";
    return isPart && field.message !== undefined ? pathsIn(field.message, `${path}.`) : [path];
  });
}

/** What a row names: `Call` or `Call field`. */
const settersIn = (setBy: readonly Setters[]): readonly string[] =>
  setBy.flatMap(({ calls, fields }) =>
    calls.flatMap((call) => (fields === undefined ? [call] : fields.map((field) => `${call} ${field}`))),
  );
const acting = storedValues.flatMap(({ setBy }) => settersIn(setBy));
const harmless = actsOnNobodyElse.flatMap(({ setBy }) => settersIn(setBy));
const callsOf = (setters: readonly string[]) => new Set(setters.map((setter) => setter.split(" ")[0]));

describe("every call that changes something", () => {
  test.each(changing.map((method) => [method.name, method] as const))(
    "%s is in the table of what acts later, or among what acts on nobody else, with each of its fields",
    (name, method) => {
      const known = new Set([...acting, ...harmless]);
      const missing = pathsIn(method.input).filter(
        (path) => !known.has(`${name} ${path}`) && !namingFields.includes(path),
      );
      expect(missing).toEqual([]);
      expect(callsOf([...acting, ...harmless])).toContain(name);
    },
  );

  test("is named by what exists, and stands in one of the two", () => {
    const unknown = [...acting, ...harmless].filter((setter) => {
      const [call = "", field] = setter.split(" ");
      const method = byName.get(call);
      return method === undefined || (field !== undefined && !pathsIn(method.input).includes(field));
    });
    expect(unknown).toEqual([]);
    expect(acting.filter((setter) => harmless.includes(setter))).toEqual([]);
    expect(new Set(harmless).size).toBe(harmless.length);
  });
});

describe("the table says of a call what its access rule says:", () => {
  const needing = (need: Need): ReadonlySet<string | undefined> =>
    callsOf(
      storedValues.filter(({ needs }) => needs.includes(need)).flatMap(({ setBy }) => settersIn(setBy)),
    );
  const where = (isSo: (method: DescMethodUnary) => boolean | undefined, more: readonly string[] = []) =>
    new Set([...changing.filter((method) => isSo(method) === true).map(({ name }) => name), ...more]);

  test("whether it acts as the user", () => {
    // These three decide it in the command: the first two only for a new username or email address.
    const inCommand = ["UpdateHumanUser", "UpdateServiceUser", "SetPasswordHash"];
    expect(needing("acting")).toEqual(where((method) => ruleOf(method)?.guardsCredentials, inCommand));
  });

  test("whether it stops users", () => {
    const inCommand = ["DeactivateOrganization", "ReactivateOrganization", "RemoveOrganization"];
    expect(needing("stopping")).toEqual(where((method) => ruleOf(method)?.stopsUser, inCommand));
  });

  test("whether it is about the whole instance", () => {
    const isOfInstance = (method: DescMethodUnary) =>
      ruleOf(method)?.organization === OrganizationSource.INSTANCE && method.name !== "AddOrganization";
    // These decide it in the command: only for what comes from another system, for a resource that the caller vouches for, and for a
    // directory that is trusted.
    const oidc = ["CreateOidcApplication", "UpdateOidcConfig"];
    const users = ["AddHumanUser", "AddServiceUser", "UpdateServiceUser"];
    const inCommand = [...users, "CreateApiApplication", "UpdateApiConfig", ...oidc];
    expect(needing("instance")).toEqual(where(isOfInstance, inCommand));
  });
});

// The files `tenancy-…` hold the permission of every call against every caller.
const permissionsOfRow = sized({ small: 1, full: 100 });

describe("a stored value is changed by nobody with less than the table says:", () => {
  let service: TestService;
  let world: TenancyWorld;
  let rpcs: ReadonlyMap<string, MatrixRpc>;
  beforeAll(async () => {
    service = await startService();
    world = await createTenancyWorld(service);
    const all = (await listMatrixRpcs()).filter(
      ({ scope }) => scope === undefined || scope === "organization",
    );
    rpcs = new Map(all.map((rpc) => [rpc.method.name, rpc]));
  });
  afterAll(() => service.stop());

  /** What is stored: every change is an event, and secrets lie beside them. */
  const stored = async () => [
    await service.place.raw.peek("SELECT COUNT(*) AS events FROM events"),
    await service.place.raw.peek("SELECT id, value FROM secrets ORDER BY id"),
  ];
  const send = async (rpc: MatrixRpc, { token, request }: Attempt) =>
    await service.clients.json.call(rpc.method, toRequest(rpc.method, request), {
      token,
      headers: { "x-service-orgid": world.organizations.ours },
    });

  test.each(storedValues.map((row) => [row.value, row] as const))("%s", async (_value, { setBy, needs }) => {
    const seen = new Set<string>();
    const wrong: string[] = [];
    for (const need of needs) {
      for (const setter of settersIn(setBy)) {
        const [call = "", field] = setter.split(" ");
        const rpc = rpcs.get(call);
        if (rpc === undefined) throw new Error(`${call} is not in the matrix`);
        // Where a need holds for the call, whatever it changes, one of its fields stands for all.
        const key = need === "api-access" ? `${need} ${setter}` : `${need} ${call}`;
        if (seen.has(key) || (need === "permission" && seen.size >= permissionsOfRow)) continue;
        seen.add(key);
        const attempts = await attemptsFor[need]({ world, rpc, field });
        if (attempts === undefined) continue;
        const before = await stored();
        for (const attempt of attempts.refused) {
          const outcome = await send(rpc, attempt);
          const reason = outcome.kind === "answer" ? "allowed" : refusalOf(outcome).reason;
          if (!attempts.reasons.some((each) => each === reason))
            wrong.push(`${key}: ${attempt.who}: ${JSON.stringify(reason)}`);
        }
        expect(await stored()).toEqual(before);
        const outcome = await send(rpc, attempts.allowed);
        if (outcome.kind !== "answer")
          wrong.push(`${key}: ${attempts.allowed.who}: ${JSON.stringify(refusalOf(outcome))}`);
        else answerOf(outcome);
      }
    }
    expect(wrong).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
  });
});
