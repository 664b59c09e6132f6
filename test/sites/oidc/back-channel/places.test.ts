import { expect, test } from "@jest/globals";
import { array, assert, boolean, nat, property, record, tuple } from "fast-check";
import { type ApplicationId, type OrganizationId, toId } from "../../../../src/kernel/base/ids.ts";
import type { WaitingApplication } from "../../../../src/identity/protocol-state/logout-notices/logout-notice.ts";
import { createPlaces } from "../../../../src/sites/oidc/back-channel/places.ts";

const application = record({ host: nat(30), organization: nat(8) }).map(
  ({ host, organization }): WaitingApplication => {
    const id = toId<ApplicationId>(`${host}${organization}`);
    return { id, organizationId: toId<OrganizationId>(`${organization}`), uri: `https://${host}.example/` };
  },
);

/** Applications of an organization, each with a host of its own. */
const ofOrganization = (organization: number): readonly WaitingApplication[] =>
  Array.from({ length: 20 }, (_, index) => ({
    id: toId<ApplicationId>(`${organization}-${index}`),
    organizationId: toId<OrganizationId>(`${organization}`),
    uri: `https://host-${index}.organization-${organization}.example/`,
  }));

test("a few organizations whose hosts hang leave places to many others", () => {
  const places = createPlaces();
  const shareOf = (organization: number) => {
    let share = 0;
    for (const each of ofOrganization(organization))
      for (; places.freeFor(each) > 0; share++) places.take(each);
    return share;
  };
  const shares = Array.from({ length: 11 }, (_, organization) => shareOf(organization));
  expect(shares).toEqual([16, 16, 4, 4, 4, 4, 4, 4, 4, 4, 0]);
});

test("an organization that has most of the first half gets no more of the second", () => {
  const places = createPlaces();
  const [mine, others] = [ofOrganization(1), ofOrganization(2)];
  for (const each of mine.slice(0, 14)) places.take(each);
  for (const each of others.slice(0, 16)) places.take(each);
  const [, last] = mine.slice(-2);
  if (last === undefined) throw new Error("there are applications");
  expect(places.freeFor(last)).toBe(2);
  places.take(last);
  places.take(last);
  expect(places.freeFor(last)).toBe(0);
});

test("nobody takes more than their share of the places, and all are free in the end", () => {
  assert(
    property(array(tuple(application, boolean()), { maxLength: 300 }), (steps) => {
      const places = createPlaces();
      const taken: { readonly application: WaitingApplication; readonly release: () => void }[] = [];
      for (const [wanted, isEnd] of steps) {
        if (isEnd) taken.shift()?.release();
        else if (places.freeFor(wanted) > 0)
          taken.push({ application: wanted, release: places.take(wanted) });
        const most = (key: (each: WaitingApplication) => string) =>
          Math.max(
            0,
            ...Map.groupBy(taken, (each) => key(each.application))
              .values()
              .map((all) => all.length),
          );
        expect(taken.length).toBeLessThanOrEqual(64);
        expect(most(({ uri }) => uri)).toBeLessThanOrEqual(4);
        expect(most(({ organizationId }) => organizationId)).toBeLessThanOrEqual(16);
        expect(places.isFull()).toBe(taken.length === 64);
      }
      for (const { release } of taken) release();
      for (const [each] of steps) expect(places.freeFor(each)).toBe(4);
    }),
    { numRuns: 30 },
  );
});
