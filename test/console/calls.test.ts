import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ObjectDetailsSchema } from "../../gen/gatehouse/v1/object_pb.ts";
import { ProjectState } from "../../gen/gatehouse/v1/project_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { checkDryRun, dryRun, ifUnchanged, keyFor, withKey } from "../../src/console/api/call-options.ts";
import { isConflict, readProblem, toFieldName } from "../../src/console/api/call-problem.ts";
import { toEnum } from "../../src/console/api/enums.ts";
import { askBeforeForce, type LockedOutPeople } from "../../src/console/api/force.ts";

describe("a problem", () => {
  test("tells all that the service said", () => {
    const error = new ConnectError("wrong", Code.InvalidArgument, { "x-request-id": "r1" }, [
      {
        desc: ErrorInfoSchema,
        value: { reason: "FIELD_INVALID", domain: "gatehouse", metadata: { a: "b" } },
      },
      {
        desc: BadRequestSchema,
        value: { fieldViolations: [{ field: "redirect_uris[1]", description: "must be a URL" }] },
      },
    ]);
    expect(readProblem(error)).toEqual({
      code: "invalid_argument",
      reason: "FIELD_INVALID",
      message: "wrong",
      violations: [{ field: "redirectUris", message: "must be a URL" }],
      requestId: "r1",
      metadata: { a: "b" },
    });
  });

  test("says that nobody answered, and is never nothing", () => {
    const unreachable = ConnectError.from(new TypeError("Failed to fetch"));
    expect(readProblem(unreachable).reason).toBe("UNREACHABLE");
    expect(readProblem(new Error("a bug")).reason).toBe("UNKNOWN");
    expect(readProblem("text").message).toBe("text");
  });

  test("is a conflict only by its reason", () => {
    const conflict = new ConnectError("changed", Code.Aborted, undefined, [
      { desc: ErrorInfoSchema, value: { reason: "SEQUENCE_MISMATCH" } },
    ]);
    expect(isConflict(readProblem(conflict))).toBe(true);
    expect(isConflict(readProblem(new ConnectError("aborted", Code.Aborted)))).toBe(false);
  });

  test.each([
    ["name", "name"],
    ["jwt_endpoint", "jwtEndpoint"],
    ["oidc.client_id", "oidc.clientId"],
    ["roles[3].role_key", "roles.roleKey"],
  ])("names the field %s as %s", (path, name) => {
    expect(toFieldName(path)).toBe(name);
  });
});

describe("the conditions of a call", () => {
  test("are headers", () => {
    const details = create(ObjectDetailsSchema, { sequence: 1767225600000000n });
    expect(ifUnchanged(details)).toEqual({ headers: { "if-match": '"1767225600000000"' } });
    expect(ifUnchanged(undefined)).toEqual({});
    expect(withKey("k")).toEqual({ headers: { "idempotency-key": "k" } });
  });

  test("repeat a key only with the values that were sent under it", () => {
    let count = 0;
    const makeKey = () => `key ${(count += 1)}`;
    const first = keyFor(undefined, { name: "Shop" }, makeKey);
    expect(keyFor(first, { name: "Shop" }, makeKey)).toBe(first);
    expect(keyFor(first, { name: "Shops" }, makeKey).key).toBe("key 2");
  });
});

describe("a dry run", () => {
  const clientOf = (answerHeader: string | undefined) => {
    const transport = createRouterTransport(
      ({ rpc }) =>
        rpc(UserService.method.removeRecoveryCodes, (_request, { responseHeader }) => {
          if (answerHeader !== undefined) responseHeader.set("x-service-validated-only", answerHeader);
          return {};
        }),
      { transport: { interceptors: [checkDryRun] } },
    );
    return createClient(UserService, transport);
  };

  test("is answered as one", async () => {
    await expect(clientOf("true").removeRecoveryCodes({ userId: "1" }, dryRun)).resolves.toBeDefined();
  });

  test.each([undefined, "false"])("fails when the answer says %s", async (header) => {
    const error = await clientOf(header)
      .removeRecoveryCodes({ userId: "1" }, dryRun)
      .catch((each: unknown) => each);
    expect(readProblem(error)).toMatchObject({ code: "data_loss", reason: "DRY_RUN_IGNORED" });
  });

  test("is not expected of another call", async () => {
    await expect(clientOf(undefined).removeRecoveryCodes({ userId: "1" })).resolves.toBeDefined();
  });

  test("is made in dialogs and plans only, never by a page that is looked at", () => {
    const root = join(import.meta.dirname, "../../src/console");
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (path) => /\.tsx?$/.test(path) && !path.startsWith("gen"),
    );
    const users = files.filter((path) => /import .*\bdryRun\b/.test(readFileSync(join(root, path), "utf8")));
    expect(users.toSorted()).toEqual([
      "pages/user-grants/several-plan.tsx",
      "pages/users/bulk/state-dialog.tsx",
      "pages/users/import/run.ts",
      "ui/removal-dialog.tsx",
    ]);
    expect(readFileSync(join(root, "api/transport.ts"), "utf8")).toContain(
      "interceptors: [authorize, checkDryRun]",
    );
  });
});

test("a value of an enum is read from its number as text, and UNSPECIFIED from all else", () => {
  expect(toEnum(ProjectState, "2")).toBe(ProjectState.INACTIVE);
  for (const text of [undefined, "", "7", "INACTIVE"])
    expect(toEnum(ProjectState, text)).toBe(ProjectState.UNSPECIFIED);
});

describe("a call that would lock people out", () => {
  const lockedOut = (metadata: Record<string, string>) =>
    new ConnectError("locks out", Code.FailedPrecondition, undefined, [
      { desc: ErrorInfoSchema, value: { reason: "LOCKS_OUT", domain: "gatehouse", metadata } },
    ]);
  const two = { people: "2", user_ids: "7,8" };

  /** A service in which every removal of a password locks people out, and what it was sent. */
  function startService(answer: { mayForce?: boolean; isYes?: boolean; metadata?: Record<string, string> }) {
    const { mayForce = true, isYes = true, metadata = two } = answer;
    const sent: [userId: string, force: boolean][] = [];
    const asked: LockedOutPeople[] = [];
    let people = metadata;
    const transport = createRouterTransport(({ service }) => {
      service(UserService, {
        removePassword({ userId, force }) {
          sent.push([userId, force]);
          if (!force) throw lockedOut(people);
          return {};
        },
        lockUser: () => {
          throw lockedOut(two);
        },
      });
    });
    const ask = async (asking: LockedOutPeople) => {
      asked.push(asking);
      return isYes;
    };
    const client = createClient(UserService, askBeforeForce(transport, { ask, mayForce }));
    return { client, sent, asked, change: (next: Record<string, string>) => void (people = next) };
  }

  test("is sent with force only after a yes, which is about so many people", async () => {
    const { client, sent, asked } = startService({});
    await client.removePassword({ userId: "1" });
    expect(asked).toEqual([{ count: 2, ids: "7,8" }]);
    expect(sent).toEqual([
      ["1", false],
      ["1", true],
    ]);
  });

  test("fails as it did after a no", async () => {
    const { client, sent } = startService({ isYes: false });
    await expect(client.removePassword({ userId: "1" })).rejects.toThrow("locks out");
    expect(sent).toEqual([["1", false]]);
  });

  test.each([
    ["may not force it", { mayForce: false }],
    ["may not know who they are", { metadata: {} }],
  ])("is not asked about whoever %s", async (_name, answer) => {
    const { client, asked } = startService(answer);
    await expect(client.removePassword({ userId: "1" })).rejects.toThrow("locks out");
    expect(asked).toEqual([]);
  });

  test("is not asked about if nothing can force it", async () => {
    const { client, asked } = startService({});
    await expect(client.lockUser({ userId: "1" })).rejects.toThrow("locks out");
    expect(asked).toEqual([]);
  });

  test("is asked about once for its dry run and itself, unless it is about others then", async () => {
    const { client, asked, change } = startService({});
    await client.removePassword({ userId: "1" }, dryRun);
    await client.removePassword({ userId: "1" });
    expect(asked).toHaveLength(1);
    await client.removePassword({ userId: "1" });
    expect(asked).toHaveLength(2);
    await client.removePassword({ userId: "1" }, dryRun);
    change({ people: "1", user_ids: "9" });
    await client.removePassword({ userId: "1" });
    expect(asked.map(({ ids }) => ids)).toEqual(["7,8", "7,8", "7,8", "9"]);
  });
});
