// The import of people in the console: plan, progress, report, and what happens when it is cut short.
import { describe, expect, test } from "@jest/globals";
import { text } from "node:stream/consumers";
import { GroupService } from "../../gen/gatehouse/v1/group_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createCaller, createProject, uniqueName } from "../support/world.ts";
import { sized } from "../support/size.ts";
import { facesOf, type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";
import { longestTaskMs } from "./support/longest-task.ts";

const stage = useConsoleStage();
const path = () => `/orgs/${stage().organizationId}/users/import`;
const choose = (window: ConsoleWindow, lines: readonly string[]) =>
  window.field("CSV file").setInputFiles({
    name: "people.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(lines.join("\n")),
  });
const header = "id,username,given_name,family_name,email";
const manyOf = (prefix: string, count: number) =>
  Array.from(
    { length: count },
    (_, index) => `${prefix}${index},${prefix}${index},Ada,Byron,${prefix}${index}@example.com`,
  );
const total = async (username: string) => {
  const call = createCaller(stage().service, stage().organizationId);
  const { details } = await call(UserService.method.listUsers, {
    search: username,
    pageSize: 1,
    countTotal: true,
  });
  return details;
};

async function reportOf(window: ConsoleWindow): Promise<readonly string[]> {
  const [download] = await Promise.all([
    window.page.waitForEvent("download"),
    window.button("Download report").click(),
  ]);
  expect(download.suggestedFilename()).toBe("Import report.csv");
  return (await text(await download.createReadStream())).trim().split("\r\n");
}

describe.each(facesOf("light"))("an import, $face", ({ options }) => {
  test("shows what will happen, does it, and says what it did; a second one changes nothing", async () => {
    const { service, organizationId } = stage();
    const call = createCaller(service, organizationId);
    const projectId = await createProject(service, organizationId);
    await call(ProjectService.method.addProjectRole, { projectId, roleKey: "buyer" });
    const group = uniqueName("Staff");
    await call(GroupService.method.addGroup, { name: group });
    const name = uniqueName("imp").replace(" ", "-");
    const lines = [
      `${header},state,email_verified,password_hash,groups,roles,metadata,shoe size`,
      `${name}1,${name}1,Ada,Byron,${name}1@example.com,locked,true,$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy,${group},${projectId}/buyer,"{""a"":""b""}",38`,
      `${name}2,${name}2,Bob,,${name}2@example.com,,,,Nobody,${projectId}/none,,`,
      `${name}3,${stage().owner.username},Eve,Taken,${name}3@example.com,,,,,,,`,
      `${name}4,${name}4,Joe,Long,no address,,,,,,,`,
    ];
    const window = await stage().open(path(), options);
    await choose(window, lines);
    await window.heading("The file was checked");
    await window.page.getByText("New people: 2").waitFor();
    await window.page.getByText("Lines that cannot be imported: 2").waitFor();
    await window.page.getByText("The column shoe size does not come along.").waitFor();
    await window.page.getByRole("row", { name: /^4 / }).getByText("Left out").waitFor();
    await window.expectAccessible();
    expect(await total(name)).toMatchObject({ totalResult: "0" });
    await window.button("Import 2 people").click();
    await window.heading("The import is done");
    await window.page.getByText("People who were added: 2").waitFor();
    await window.expectAccessible();
    const report = await reportOf(window);
    expect(report.slice(1).map((line) => line.split(",").slice(0, 4).join(","))).toEqual([
      `2,${name}1,${name}1,New`,
      `3,${name}2,${name}2,New`,
      `4,${name}3,${stage().owner.username},Left out`,
      `5,${name}4,${name}4,Left out`,
    ]);
    expect(report[2]).toContain("Without the group Nobody, which does not exist.");
    expect(report[2]).toContain(`Without the roles ${projectId}/none:`);
    expect(report[4]).toContain("email: ");
    expect(await call(UserService.method.listUsers, { username: `${name}1` })).toMatchObject({
      users: [
        {
          importedId: `${name}1`,
          state: "USER_STATE_LOCKED",
          human: { hasPassword: true, isEmailVerified: true },
        },
      ],
    });
    expect(await call(UserGrantService.method.listUserGrants, { projectId })).toMatchObject({
      userGrants: [{ roleKeys: ["buyer"] }],
    });
    await window.button("Choose another file").click();
    await choose(window, lines);
    await window.page.getByText("People who are there already and stay as they are: 2").waitFor();
    await window.page.getByText("New people: 0").waitFor();
  });
});

describe("an import", () => {
  test("by somebody of the organization alone says what they may not set", async () => {
    const person = await stage().addMember(["ORGANIZATION_OWNER"]);
    const window = await stage().open(path(), { person });
    const name = uniqueName("own").replace(" ", "-");
    const hash = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
    const lines = [`${header},password_hash`, `7,${name},Ada,Byron,${name}@example.com,${hash}`];
    await choose(window, lines);
    await window.page.getByText(/^Ids of the other system do not come along/).waitFor();
    await window.page.getByText("Without a password, because only people").waitFor();
    await window.button("Import 1 person").click();
    await window.page.getByText("People who were added: 1").waitFor();
    await window.button("Choose another file").click();
    await choose(window, lines);
    await window.page.getByText("People who are there already and stay as they are: 1").waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("of thousands leaves the page usable, is stopped and goes on, and goes on after the tab was closed", async () => {
    const count = sized({ small: 1000, full: 5000 });
    const name = uniqueName("many").replace(" ", "-");
    const lines = [header, ...manyOf(name, count)];
    const window = await stage().open(path());
    const longestMs = await longestTaskMs(window.page, async () => {
      await choose(window, lines);
      await window.heading("The file was checked");
    });
    expect(longestMs).toBeLessThan(500);
    // The first batch is on its way, and its answer waits: then the tab is closed.
    let batches = 0;
    await window.page.route("**/gatehouse.v1.BatchService/Write", async (route) => {
      batches += 1;
      if (batches === 2) await route.abort();
      else await route.continue();
    });
    await window.button(`Import ${count.toLocaleString("en-GB")} people`).click();
    await window.page.getByText("The service cannot be reached").waitFor();
    expect(await total(name)).toMatchObject({ totalResult: "200" });
    await window.expectAccessible();
    await window.page.close();
    const again = await stage().open(path());
    await choose(again, lines);
    await again.page.getByText("People who are there already and stay as they are: 200").waitFor();
    // An answer waits until the import was stopped.
    const stopped = Promise.withResolvers<void>();
    await again.page.route("**/gatehouse.v1.BatchService/Write", async (route) => {
      await stopped.promise;
      await route.continue();
    });
    await again.button(`Import ${(count - 200).toLocaleString("en-GB")} people`).click();
    await again.button("Stop").click();
    await again.page.getByText("Stopped. What was imported stays.").waitFor();
    stopped.resolve();
    await again.button("Go on").click();
    await again.page
      .getByText(`People who were added: ${(count - 200).toLocaleString("en-GB")}`)
      .waitFor({ timeout: 60_000 });
  });

  test("of a file that is none is refused with the reason", async () => {
    const window = await stage().open(path());
    await choose(window, ["name,email", "Ada,ada@example.com"]);
    await window.page.getByText("The header needs a column id.").waitFor();
    expect(window.complaints).toEqual([]);
  });
});
