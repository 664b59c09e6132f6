// 10,000 people of a directory of OpenLDAP, all of them linked to users: a sync that has nothing to do takes less than ten seconds.
import { afterAll, expect, test } from "@jest/globals";
import { createDirectoryServers } from "../../src/identity/directories/servers.ts";
import { syncDirectory } from "../../src/identity/directories/sync.ts";
import { findUserById } from "../../src/identity/people/user/repository.ts";
import { addHumanUser } from "../../src/identity/people/user/user.ts";
import { createIdentityProviderCommands } from "../../src/identity/providers/commands.ts";
import { toLdapConfig } from "../../src/identity/providers/ldap.ts";
import type { UserId } from "../../src/kernel/base/ids.ts";
import { Secret } from "../../src/kernel/base/secret.ts";
import type { NewEvent } from "../../src/kernel/events/event.ts";
import { createDirectories } from "../../src/kernel/outbound/directory/directories.ts";
import { callAs, openFeatureFixture } from "../support/feature-fixture.ts";
import { humanProfile, identityProviderSettings, ldapPayload } from "../support/samples.ts";
import { certificate, personLdif, reader, startSlapd, suffix } from "./support/slapd.ts";

const count = 10_000;
const uids = Array.from({ length: count }, (_, index) => `u${index}`);
const slapd = await startSlapd({
  ldif: uids
    .map((uid, index) => personLdif(`uid=${uid}`, uid, [`employeeNumber: ${100_000 + index}`]))
    .join(""),
  lines: ["limits users size.soft=500 size.prtotal=unlimited"],
});
const fixture = await openFeatureFixture();

// Somebody has to own the instance, or nobody could be deactivated.
await fixture.record({
  type: "membership.added",
  aggregateId: "600000000001",
  resourceOwner: "1",
  payload: {
    user_id: await fixture.addUser(await fixture.addOrganization()),
    instance: true,
    roles: ["INSTANCE_OWNER"],
  },
});
afterAll(async () => {
  await fixture.close();
  await slapd.remove();
});

test("nothing to do for 10,000 takes less than ten seconds and makes no event; then a leaver goes", async () => {
  const { context, record } = fixture;
  const organizationId = await fixture.addOrganization();
  const {
    issuer: _issuer,
    bindSecretId: _secret,
    ...settings
  } = toLdapConfig({
    ...ldapPayload,
    servers: [slapd.secureUrl],
    bind_dn: reader.dn,
    base_dn: `ou=people,${suffix}`,
    user_filter: "(&(objectClass=inetOrgPerson)(!(employeeType=gone)))",
    id_attribute: "employeeNumber",
    ca_certificates: certificate.cert,
  });
  const commands = createIdentityProviderCommands(context);
  const bindPassword = new Secret(reader.password);
  const added = await commands.add(callAs(organizationId), identityProviderSettings(), {
    kind: "ldap",
    ...settings,
    bindPassword,
  });
  const provider = await commands.get(callAs(organizationId), added.id);
  if (provider.config.kind !== "ldap") throw new Error("it is no directory");
  const names = { givenName: "Given", familyName: "Family", displayName: "Given Family" };
  const ids = uids.map((_uid, index) => `${900_000_000_000 + index}` as UserId);
  const events = ids.flatMap((id, index): readonly NewEvent[] => [
    addHumanUser(id, organizationId, humanProfile({ ...names, username: uids[index] ?? "" })),
    {
      type: "user.idp_link.added",
      aggregateId: id,
      resourceOwner: organizationId,
      payload: {
        link_id: `${910_000_000_000 + index}`,
        idp_id: provider.id,
        issuer: provider.config.issuer,
        external_user_id: `${100_000 + index}`,
      },
    },
  ]);
  for (let start = 0; start < events.length; start += 1000)
    await record(...events.slice(start, start + 1000));
  const directories = createDirectories({ dev: true, allowedHosts: [], plainTextHosts: [] });
  const ports = { ...context, servers: createDirectoryServers(directories, context.clock) };
  const sync = async () => {
    const directory = { ...provider, config: provider.config };
    return await syncDirectory(ports, directory as never, { isForced: false, isDryRun: false });
  };
  const before = await fixture.eventCount();
  const begunMs = performance.now();
  expect(await sync()).toMatchObject({ people: count, linked: count, changed: 0, leavers: 0 });
  const tookMs = performance.now() - begunMs;
  console.log(`a sync of ${count} that are as they were took ${Math.round(tookMs)} ms`);
  expect(tookMs).toBeLessThan(10_000);
  expect(await fixture.eventCount()).toBe(before);
  const { Client } = await import("ldapts");
  const client = new Client({ url: slapd.url });
  await client.bind(`cn=root,${suffix}`, "secret");
  await client.del(`uid=u7,ou=people,${suffix}`);
  await client.unbind();
  expect(await sync()).toMatchObject({ people: count - 1, leavers: 1, isStopped: false });
  expect(await context.database.read((tx) => findUserById(tx, ids[7] ?? ""))).toMatchObject({
    state: "INACTIVE",
  });
});
