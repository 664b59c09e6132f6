import { expect, test } from "@jest/globals";
import { expectExamples } from "./support/follow.ts";

test("docs/api.md calls in every way, retries, races, tries, batches and watches", async () => {
  await expectExamples("docs/api.md");
});

test("docs/programs.md lets a service log in and a gateway act for it", async () => {
  await expectExamples("docs/programs.md", [
    ["ROBOT=", async (_shell, printed) => expect(printed).toContain('"name":"Robot"')], // who signed in calls
  ]);
});

test("docs/apis.md protects an API by introspection and by the keys", async () => {
  await expectExamples("docs/apis.md");
});

test("docs/mcp.md lets clients introduce themselves to an MCP server", async () => {
  await expectExamples("docs/mcp.md");
});

test("docs/operate/backup.md makes a backup and restores it", async () => {
  await expectExamples("docs/operate/backup.md");
});

test("docs/login/branding.md makes a branding live", async () => {
  await expectExamples("docs/login/branding.md", [
    [
      "policies/label/images",
      async (_shell, printed) => expect(printed).toMatch(/"draft":[^]*"#7a1fa2"[^]*"path":"\/brand\//),
    ],
  ]);
});

test("docs/login/texts.md changes what pages say", async () => {
  await expectExamples("docs/login/texts.md", [
    ["grep 'Forgot", async (_shell, printed) => expect(printed).toContain('"login.forgottenPassword.link"')],
  ]);
});

test("docs/login/policy.md replaces the login policy of an organization", async () => {
  await expectExamples("docs/login/policy.md", [
    [
      "policies/login",
      async (_shell, printed) => expect(printed).toMatch(/"allowRegistration":true[^]*"forceMfa":true/),
    ],
  ]);
});

test("docs/groups.md gives a role by a group", async () => {
  await expectExamples("docs/groups.md", [
    ["effective_roles", async (_shell, printed) => expect(printed).toMatch(/"reader"[^]*"via":/)],
  ]);
});

test("docs/hooks.md calls a hook", async () => {
  await expectExamples("docs/hooks.md", [
    ["/trial_run", async (_shell, printed) => expect(printed).toMatch(/HOOK_VERDICT_ALLOWED[^]*tier/)],
  ]);
});

test("docs/webhooks.md delivers an event to a receiver, and lists it", async () => {
  await expectExamples("docs/webhooks.md", [
    ["until grep", async (_shell, printed) => expect(printed).toMatch(/^project\.added 20/m)],
    [
      "/redeliver",
      async (_shell, printed) => expect(printed).toMatch(/DELIVERY_STATE_DELIVERED[^]*"details"/),
    ],
  ]);
});

test("docs/claims.md maps a claim of a project", async () => {
  await expectExamples("docs/claims.md", [
    [
      "/claim_mappings -H",
      async (_shell, printed) => expect(printed).toMatch(/"name":"cost_center"[^]*"isPaused":false/),
    ],
  ]);
});

test("docs/metadata.md keeps a key at a user", async () => {
  await expectExamples("docs/metadata.md", [
    [
      "/metadata -H",
      async (_shell, printed) => expect(printed).toMatch(/"key":"cost-center"[^]*"value":"NDcxMQ=="/),
    ],
  ]);
});
