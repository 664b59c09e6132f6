import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { type OrganizationId, type ProjectId, toId } from "../../../src/base/ids.ts";
import {
  addProject,
  type Project,
  type ProjectSettings,
  projectNameTaken,
  projectNotFound,
  removeProject,
  setProjectState,
  updateProject,
} from "../../../src/features/projects/project.ts";

const settings: ProjectSettings = {
  name: "Portal",
  projectRoleAssertion: true,
  projectRoleCheck: false,
  hasProjectCheck: true,
  privateLabelingSetting: "PRIVATE_LABELING_SETTING_UNSPECIFIED",
};
const project: Project = {
  ...settings,
  id: toId<ProjectId>("7"),
  details: { sequence: 5, creationDate: 4, resourceOwner: "1" },
  state: "ACTIVE",
};

const anySettings: fc.Arbitrary<ProjectSettings> = fc.record({
  name: fc.constantFrom("Portal", "portal", "Portal "),
  projectRoleAssertion: fc.boolean(),
  projectRoleCheck: fc.boolean(),
  hasProjectCheck: fc.boolean(),
  privateLabelingSetting: fc.constantFrom("A", "B"),
});

describe("addProject", () => {
  test("records all settings for the organization that owns the project", () => {
    expect(addProject(project.id, toId<OrganizationId>("1"), settings)).toEqual({
      type: "project.added",
      aggregateId: "7",
      resourceOwner: "1",
      payload: {
        name: "Portal",
        project_role_assertion: true,
        project_role_check: false,
        has_project_check: true,
        private_labeling_setting: "PRIVATE_LABELING_SETTING_UNSPECIFIED",
      },
    });
  });
});

describe("updateProject", () => {
  test("records nothing when nothing changes", () => {
    expect(updateProject(project, { ...settings })).toEqual([]);
  });

  test.each([
    [{ name: "PORTAL" }],
    [{ projectRoleAssertion: false }],
    [{ projectRoleCheck: true }],
    [{ hasProjectCheck: false }],
    [{ privateLabelingSetting: "PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY" }],
  ])("records all settings when %j changes", (change) => {
    const after = { ...settings, ...change };
    expect(updateProject(project, after)).toEqual([
      {
        type: "project.changed",
        aggregateId: "7",
        resourceOwner: "1",
        payload: addProject(project.id, toId<OrganizationId>("1"), after).payload,
      },
    ]);
  });

  test("records one event exactly when the settings differ", () => {
    fc.assert(
      fc.property(anySettings, anySettings, (before, after) => {
        const isSame = JSON.stringify(before) === JSON.stringify(after);
        expect(updateProject({ ...project, ...before }, after)).toHaveLength(isSame ? 0 : 1);
      }),
    );
  });
});

describe("setProjectState", () => {
  test.each([
    ["ACTIVE", "INACTIVE", "project.deactivated"],
    ["INACTIVE", "ACTIVE", "project.reactivated"],
  ] as const)("from %s to %s records %s", (before, after, type) => {
    expect(setProjectState({ ...project, state: before }, after)).toEqual([
      { type, aggregateId: "7", resourceOwner: "1", payload: {} },
    ]);
  });

  test.each(["ACTIVE", "INACTIVE"] as const)("records nothing for a project that is %s already", (state) => {
    expect(setProjectState({ ...project, state }, state)).toEqual([]);
  });
});

describe("removeProject", () => {
  test("is one event, whatever the state", () => {
    for (const state of ["ACTIVE", "INACTIVE"] as const) {
      expect(removeProject({ ...project, state })).toEqual({
        type: "project.removed",
        aggregateId: "7",
        resourceOwner: "1",
        payload: {},
      });
    }
  });
});

describe("the problems of projects", () => {
  test("name the project as the caller did", () => {
    expect(projectNotFound("8")).toMatchObject({
      kind: "not-found",
      reason: "NOT_FOUND",
      resource: { type: "project", name: "8" },
    });
    expect(projectNameTaken("Portal")).toMatchObject({
      kind: "already-exists",
      reason: "ALREADY_EXISTS",
      resource: { type: "project", name: "Portal" },
    });
  });
});
