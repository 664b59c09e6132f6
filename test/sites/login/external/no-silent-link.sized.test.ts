import { afterAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { sized } from "../../../support/size.ts";
import type { Person } from "../support/login-stage.ts";
import {
  addIdentityPlace,
  arrive,
  choicesOf,
  choose,
  type IdentityPlace,
  newIdentity,
  readLinks,
  verifyEmailOf,
} from "../support/identities.ts";
import { password, startLoginStage } from "../support/login-stage.ts";

// Whatever a provider says and whoever has which email: no identity is linked to somebody who was there before unless that very user,
// of the organization that owns the provider, has logged in and has said yes. The email only decides what is offered first.

const stage = await startLoginStage();
afterAll(() => stage.stop());

const anyPerson = fc.record({
  hasEmail: fc.constantFrom(true, true, false),
  isVerified: fc.constantFrom(true, true, false),
  isElsewhere: fc.constantFrom(false, false, true),
  state: fc.constantFrom("ACTIVE", "ACTIVE", "ACTIVE", "LOCKED", "INACTIVE"),
});
const anyCase = fc.record({
  people: fc.array(anyPerson, { minLength: 1, maxLength: 2 }),
  emailVerified: fc.constantFrom(true, true, false),
  hasEmailClaim: fc.constantFrom(true, true, false),
  isTakenName: fc.boolean(),
  autoRegister: fc.boolean(),
  linkByVerifiedEmail: fc.constantFrom("ASK", "ASK", "NEVER"),
  choice: fc.constantFrom("link", "link", "create"),
  isFolded: fc.boolean(),
  /** Who logs in when the offer is taken. */
  who: fc.constantFrom(0, 0, 1, 2),
  says: fc.constantFrom("link", "link", "skip"),
});

const linkedCase: typeof anyCase extends fc.Arbitrary<infer C> ? C : never = {
  people: [{ hasEmail: true, isVerified: true, isElsewhere: false, state: "ACTIVE" }],
  emailVerified: true,
  hasEmailClaim: true,
  isTakenName: false,
  autoRegister: false,
  linkByVerifiedEmail: "ASK",
  choice: "link",
  isFolded: false,
  who: 0,
  says: "link",
};

const stateEvents = { LOCKED: "user.locked", INACTIVE: "user.deactivated" } as const;
let emails = 0;

async function addPeople(
  place: IdentityPlace,
  people: readonly (typeof anyPerson extends fc.Arbitrary<infer P> ? P : never)[],
  email: string,
): Promise<readonly Person[]> {
  const elsewhere = await stage.addOrganization();
  const added: Person[] = [];
  for (const { hasEmail, isVerified, isElsewhere, state } of people) {
    const organization = isElsewhere ? elsewhere : place.organization;
    const person = await stage.addPerson(organization);
    added.push(person);
    const about = { aggregateId: person.id, resourceOwner: organization };
    if (hasEmail && isVerified) await verifyEmailOf(stage, person, { organization, email });
    if (hasEmail && !isVerified)
      await stage.fixture.record({ ...about, type: "user.email.set", payload: { email } });
    if (state !== "ACTIVE")
      await stage.fixture.record({ ...about, type: stateEvents[state as "LOCKED"], payload: {} });
  }
  return added;
}

test("no identity is linked without the user", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyCase, async (drawn) => {
      stage.fixture.clock.turn(60_000); // so few wrong passwords come from one address that it is not kept waiting
      const { autoRegister, linkByVerifiedEmail, emailVerified } = drawn;
      const policy = { linkByVerifiedEmail: linkByVerifiedEmail as "ASK" };
      const place = await addIdentityPlace(stage, { autoRegister, policy });
      emails += 1;
      const email = `person-${emails}@example.test`;
      const people = await addPeople(place, drawn.people, email);
      const matching = people.filter((_person, at) => {
        const facts = drawn.people[at];
        return facts?.hasEmail && facts.isVerified && !facts.isElsewhere && facts.state === "ACTIVE";
      });
      const identity = newIdentity(place.provider, {
        emailVerified,
        email: drawn.hasEmailClaim ? (drawn.isFolded ? email.toUpperCase() : email) : undefined,
        ...(drawn.isTakenName && people[0] !== undefined ? { preferredUsername: people[0].username } : {}),
      });
      const hasMatch =
        linkByVerifiedEmail === "ASK" && emailVerified && drawn.hasEmailClaim && matching.length === 1;
      const { page } = await arrive(stage, place, identity);
      const offered = choicesOf(page);
      const isAtOnce = autoRegister && drawn.hasEmailClaim && !drawn.isTakenName && !hasMatch;
      expect(offered.includes("link")).toBe(!isAtOnce);
      expect(page.text.includes("There seems to be an account of yours")).toBe(hasMatch);
      const named = people.filter(({ username }) => !drawn.isTakenName && page.text.includes(username));
      expect(named).toEqual([]);
      let linkedTo: Person | undefined;
      const wrong: unknown[] = [];
      if (offered.includes(drawn.choice) && drawn.choice === "create")
        await choose(page, "create", { username: `new-${emails}`, email: `new-${emails}@example.test` });
      if (offered.includes(drawn.choice) && drawn.choice === "link") {
        const at = drawn.who % people.length;
        const person = people[at];
        const facts = drawn.people[at];
        const begun = await choose(page, "link");
        const ask = await begun.submit({ username: person?.username ?? "", password });
        const may = choicesOf(ask).includes("link");
        const isNamed = ask.text.includes(`sign in as ${person?.username ?? ""} with your account`);
        if (choicesOf(ask).length > 0) await ask.submit({ choice: drawn.says });
        if (may !== (facts?.state === "ACTIVE" && !facts.isElsewhere) || may !== isNamed) wrong.push(person);
        if (may && drawn.says === "link") linkedTo = person;
      }
      expect(wrong).toEqual([]);
      const linked = (await readLinks(stage, place.provider)).map(({ user_id: id }) => id);
      const old = linked.filter((id) => people.some((person) => person.id === id));
      expect(old).toEqual(linkedTo === undefined ? [] : [linkedTo.id]);
      const isOther = linkedTo !== undefined && matching[0]?.id !== linkedTo.id;
      seen.add(isOther ? "linked to another" : linkedTo !== undefined ? "linked" : hasMatch ? "offered" : "");
      if (linked.length > 0 && linkedTo === undefined) seen.add("created");
    }),
    // Few of the cases that are drawn end with a link, so one for each end is given.
    {
      numRuns: sized({ small: 30, full: 1000 }),
      examples: [
        [linkedCase],
        [{ ...linkedCase, says: "skip" }],
        [{ ...linkedCase, emailVerified: false }],
        [{ ...linkedCase, emailVerified: false, says: "skip" }],
        [{ ...linkedCase, emailVerified: false, autoRegister: true }],
      ],
    },
  );
  expect([...seen].toSorted()).toEqual(["", "created", "linked", "linked to another", "offered"]);
});
