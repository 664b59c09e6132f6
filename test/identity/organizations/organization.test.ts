import { describe, expect, test } from "@jest/globals";
import { toId } from "../../../src/kernel/base/ids.ts";
import {
  deactivateOrganization,
  type Organization,
  reactivateOrganization,
  removeOrganization,
  updateOrganization,
} from "../../../src/identity/organizations/organization.ts";

const active: Organization = {
  id: toId("10"),
  details: { sequence: 5, creationDate: 4, resourceOwner: "10" },
  state: "ACTIVE",
  name: "Home",
};
const inactive: Organization = { ...active, state: "INACTIVE" };
const event = (type: string, payload: object = {}) => ({
  type,
  aggregateId: "10",
  resourceOwner: "10",
  payload,
});

describe("an organization", () => {
  test("gets another name, also one that differs in case only", () => {
    expect(updateOrganization(active, "Away")).toEqual([event("organization.changed", { name: "Away" })]);
    expect(updateOrganization(inactive, "HOME")).toEqual([event("organization.changed", { name: "HOME" })]);
  });

  test("that keeps its name has nothing to record", () => {
    expect(updateOrganization(active, "Home")).toEqual([]);
  });

  test("is stopped and started once", () => {
    expect(deactivateOrganization(active)).toEqual([event("organization.deactivated")]);
    expect(deactivateOrganization(inactive)).toEqual([]);
    expect(reactivateOrganization(inactive)).toEqual([event("organization.reactivated")]);
    expect(reactivateOrganization(active)).toEqual([]);
  });

  test("is removed in any state", () => {
    for (const each of [active, inactive])
      expect(removeOrganization(each)).toEqual(event("organization.removed"));
  });
});
