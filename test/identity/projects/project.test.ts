import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { type OrganizationId, toId } from "../../../src/kernel/base/ids.ts";
import {
  addProject,
  type ProjectSettings,
  projectNameTaken,
  projectNotFound,
  removeProject,
  setProjectState,
  updateProject,
} from "../../../src/identity/projects/project.ts";
import { project as sampleProject, projectSettings } from "../../support/samples.ts";

const settings = projectSettings({ projectRoleAssertion: true, hasProjectCheck: true });
const project = sampleProject(settings);

/** The settings with one of them changed, for each of them. */
const changes = Object.entries(settings).map(([name, value]): [string, ProjectSettings] => [
  name,
  { ...settings, [name]: typeof value === "boolean" ? !value : `${value} ` },
]);
const anySettings: fc.Arbitrary<ProjectSettings> = fc.constantFrom(
  settings,
  ...changes.map(([, changed]) => changed),
);

describe("addProject", () => {
  test("records all settings for the organization that owns the project", () => {
    expect(addProject(project.id, toId<OrganizationId>("1"), settings)).toEqual({
      type: "project.added",
      aggregateId: "7",
      resourceOwner: "1",
      payload: Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [
          name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
          value,
        ]),
      ),
    });
  });
});

describe("updateProject", () => {
  test("records nothing when nothing changes", () => {
    expect(updateProject(project, { ...settings })).toEqual([]);
  });

  test.each(changes)("records all settings when %s changes", (_name, after) => {
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
