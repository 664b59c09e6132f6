// Takes the pictures of the console at the top of README.md: .pictures/console-light.png and console-dark.png. `npm run picture`
//
// They show the console as it is in src/console, on a service in a temporary folder with data that could be somebody's. Nothing in the
// window changes from run to run, so a picture differs from the one before only if the console does, or a font of the machine.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../test/browser/support/chromium.ts";
import { serveGatehouse } from "../test/support/process.ts";
import { makeTemporaryFolder } from "../test/support/temporary.ts";
import { toSmallPng } from "./small-png.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = join(root, ".pictures");
const size = { width: 1280, height: 800 };
/** A README is read on slow lines, too. */
const maxBytes = 100_000;

const password = "a password for one picture";
const administrator = {
  username: "grace",
  givenName: "Grace",
  familyName: "Hopper",
  email: "grace@example.com",
};
const roles = [
  { roleKey: "clerk", displayName: "Clerk", group: "Counter" },
  { roleKey: "controller", displayName: "Revenue controller", group: "Office" },
  { roleKey: "planner", displayName: "Timetable planner", group: "Office" },
  { roleKey: "viewer", displayName: "Viewer", group: "Office" },
];
const people = [
  { givenName: "Amara", familyName: "Okafor", roleKeys: ["controller", "planner"] },
  { givenName: "Jonas", familyName: "Weber", roleKeys: ["clerk"] },
  { givenName: "Mei", familyName: "Tanaka", roleKeys: ["planner"] },
  { givenName: "Lucía", familyName: "Fernández", roleKeys: ["clerk", "viewer"] },
  { givenName: "Tomasz", familyName: "Nowak", roleKeys: ["clerk"], next: "DeactivateUser" },
  { givenName: "Priya", familyName: "Raman", roleKeys: ["viewer"] },
  { givenName: "Elias", familyName: "Lindqvist", roleKeys: ["controller"], next: "LockUser" },
  { givenName: "Noor", familyName: "Haddad", roleKeys: ["viewer"] },
];
const programs = [
  { username: "timetable-import", name: "Timetable import", description: "Reads the timetable every night" },
  { username: "ticket-printer", name: "Ticket printer", description: "Prints at the counters" },
];

const folder = makeTemporaryFolder();
try {
  run([".tools/build-console.mjs"]);
  const service = await serveGatehouse(["--data", folder.path]);
  try {
    const read = (name) => readFileSync(join(folder.path, name), "utf8").trim();
    const place = await fill(service.url, read("admin.token"));
    await takePictures({
      origin: `http://localhost:${new URL(service.url).port}`,
      link: read("admin.link"),
      place,
    });
  } finally {
    await service.stop();
  }
} finally {
  folder.remove();
}

/** Adds the data. Returns the path of the place to show. */
async function fill(url, token) {
  const call = async (method, request, organizationId = "") => {
    const answer = await fetch(`${url}/gatehouse.v1.${method}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...(organizationId === "" ? {} : { "x-service-orgid": organizationId }),
      },
      body: JSON.stringify(request),
    });
    if (!answer.ok) throw new Error(`${method}: ${await answer.text()}`);
    return await answer.json();
  };
  const { organizationId } = await call("OrganizationService/AddOrganization", { name: "Northern Rail" });
  for (const name of ["Harbour Ferries", "City Trams"])
    await call("OrganizationService/AddOrganization", { name });
  const inside = (method, request) => call(method, request, organizationId);
  const { id: projectId } = await inside("ProjectService/AddProject", {
    name: "Ticket Shop",
    projectRoleCheck: true,
  });
  await inside("ProjectService/BulkAddProjectRoles", { projectId, roles });
  for (const name of ["Timetable", "Staff Portal", "Depot"])
    await inside("ProjectService/AddProject", { name });
  for (const { roleKeys, next, ...name } of people) {
    const username = plain(`${name.givenName}.${name.familyName}`);
    const { userId } = await inside("UserService/AddHumanUser", {
      ...name,
      username,
      email: `${username}@northern-rail.example`,
    });
    await inside("UserGrantService/AddUserGrant", { userId, projectId, roleKeys });
    if (next !== undefined) await inside(`UserService/${next}`, { userId });
  }
  for (const program of programs) await inside("UserService/AddServiceUser", program);
  return `/orgs/${organizationId}/users`;
}

/** Returns a name as it stands in usernames: small, and without accents. */
function plain(name) {
  return name.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** Signs up as the first administrator, and takes a picture of the place in each colour scheme. */
async function takePictures({ origin, link, place }) {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({
      viewport: size,
      deviceScaleFactor: 1,
      locale: "en-GB",
      reducedMotion: "reduce",
    });
    await page.goto(link);
    await page.getByLabel("Username").fill(administrator.username);
    await page.getByLabel("First name").fill(administrator.givenName);
    await page.getByLabel("Last name").fill(administrator.familyName);
    await page.getByLabel("Email address").fill(administrator.email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByLabel("Repeat password").fill(password);
    await page.getByRole("button", { name: "Create administrator" }).click();
    await page.getByRole("heading", { name: "Add a security key" }).waitFor();
    await page.goto(`${origin}/console${place}`); // signing up was a login, which holds for the console, too
    await page.locator("main h1").waitFor();
    mkdirSync(output, { recursive: true });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.waitForLoadState("networkidle");
      const path = join(output, `console-${colorScheme}.png`);
      const picture = toSmallPng(await page.screenshot({ caret: "hide", animations: "disabled" }));
      writeFileSync(path, picture);
      console.log(`${path}: ${picture.length} bytes`);
      if (picture.length > maxBytes) throw new Error(`the picture is too large: at most ${maxBytes} bytes`);
    }
  } finally {
    await browser.close();
  }
}

function run(command) {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error(`${command.join(" ")} failed`);
}
