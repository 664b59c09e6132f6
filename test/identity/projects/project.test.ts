import { describe, expect, test } from "@jest/globals";
import { type OrganizationId, toId } from "../../../src/kernel/base/ids.ts";
import { addProject, type ProjectSettings, updateProject } from "../../../src/identity/projects/project.ts";
import { project as sampleProject, projectSettings } from "../../support/samples.ts";

const settings = projectSettings({ projectRoleAssertion: true, hasProjectCheck: true });
const project = sampleProject(settings);

/** The settings with one of them changed, for each of them. */
const changes = Object.entries(settings).map(([name, value]): [string, ProjectSettings] => [
  name,
  { ...settings, [name]: typeof value === "boolean" ? !value : `${value} ` },
]);

describe("updateProject", () => {
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
});
