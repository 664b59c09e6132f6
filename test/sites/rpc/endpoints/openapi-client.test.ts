// A client whose types are made from the OpenAPI document. TypeScript says whether it has to ask what is never missing, and
// whether it is told of what may be, and of what is refused.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { protoComments } from "../../../../gen/comments.ts";
import { createOpenApi } from "../../../../src/sites/rpc/endpoints/openapi/document.ts";
import { listServices } from "../../../support/methods.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";
import { typesOf } from "../support/document-types.ts";

const folder = makeTemporaryFolder();
beforeAll(async () => {
  const services = await listServices();
  const document = JSON.parse(createOpenApi({ services, comments: protoComments, version: "0" }));
  writeFileSync(join(folder.path, "api.ts"), typesOf(document));
});
afterAll(() => folder.remove());

/** Returns what TypeScript says of the statements, each with its line. */
function complaintsAbout(statements: readonly string[]): readonly string[] {
  const file = join(folder.path, "client.ts");
  const header = 'import type { Answers, Requests } from "./api.ts";';
  writeFileSync(file, `${header} declare const answers: Answers;\n${statements.join("\n")}\nexport {};\n`);
  const tsc = join(import.meta.dirname, "../../../../node_modules/typescript/bin/tsc");
  const flags = [
    "--noEmit",
    "--strict",
    "--ignoreConfig",
    "--allowImportingTsExtensions",
    "--module",
    "nodenext",
  ];
  const { stdout } = spawnSync(process.execPath, [tsc, ...flags, file], { encoding: "utf8" });
  const found = stdout.split("\n").filter((line) => line.includes("error TS"));
  return found.map((line) => {
    const [, number, message] = /client\.ts\((\d+),.*?error (TS\d+)/.exec(line) ?? [];
    return number === undefined ? line : `${statements[Number(number) - 2]}: ${message}`;
  });
}

test("a client need not ask whether what is always there is there", () => {
  expect(
    complaintsAbout([
      "const id: string = answers.ProjectService_AddProject.id;",
      "const sequence: string = answers.ProjectService_AddProject.details.sequence;",
      "const changed: string = answers.UserService_VerifyPhone.details.changeDate;",
      "for (const project of answers.ProjectService_ListProjects.projects) {",
      "  const owner: string = project.details.resourceOwner;",
      "  const flag: boolean = project.hasProjectCheck;",
      "}",
      "const next: string = answers.UserService_ListUsers.nextPageToken;",
      "const user: string = answers.UserService_GetMyUser.user.username;",
      "const grant: string[] = answers.UserGrantService_GetUserGrant.userGrant.roleKeys;",
      "const email: string | undefined = answers.UserService_GetMyUser.user.human?.email;",
      "const at: number = answers.EventService_ListEvents.events[0]!.version;",
      'const role: Requests["MembershipService_AddMembership"] = { userId: "1", instance: true, roles: ["INSTANCE_VIEWER"] };',
    ]),
  ).toEqual([]);
});

test("a client is told of what may be missing, and of what would be refused", () => {
  const statements = [
    "const created: string = answers.UserService_VerifyPhone.details.creationDate;",
    "const human: string = answers.UserService_GetMyUser.user.human.email;",
    'const unnamed: Requests["ProjectService_AddProject"] = {};',
    'const misspelt: Requests["ProjectService_AddProject"] = { name: "a", nmae: "b" };',
    'const nobody: Requests["MembershipService_UpdateMembership"] = { roles: ["NOBODY"] };',
    'const unverified: Requests["UserService_SetPhone"] = { phone: "+41781234567", isVerified: false };',
  ];
  expect(complaintsAbout(statements)).toEqual([
    `${statements[0]}: TS2322`,
    `${statements[1]}: TS18048`,
    `${statements[2]}: TS2741`,
    `${statements[3]}: TS2353`,
    `${statements[4]}: TS2322`,
    `${statements[5]}: TS2322`,
  ]);
});
