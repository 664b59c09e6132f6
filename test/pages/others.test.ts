import { expect, test } from "@jest/globals";
import { follow } from "./support/follow.ts";

test("docs/api.md calls in every way, retries, races, tries, batches and watches", async () => {
  await follow("docs/api.md");
});

test("docs/programs.md lets a service log in and a gateway act for it", async () => {
  await follow("docs/programs.md", [
    ["ROBOT=", async (_shell, printed) => expect(printed).toContain('"name":"Robot"')], // who signed in calls
  ]);
});

test("docs/operate/backup.md makes a backup and restores it", async () => {
  await follow("docs/operate/backup.md");
});

test("docs/login/policy.md replaces the login policy of an organization", async () => {
  await follow("docs/login/policy.md", [
    [
      "policies/login",
      async (_shell, printed) => expect(printed).toMatch(/"allowRegistration":true[^]*"forceMfa":true/),
    ],
  ]);
});
