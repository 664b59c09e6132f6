import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { credentials, loadPackageDefinition, Metadata, type ServiceClientConstructor } from "@grpc/grpc-js";
import { loadFileDescriptorSetFromBuffer } from "@grpc/proto-loader";
import { readNamed } from "../pages/support/page.ts";
import { serveGatehouse, type ServingProcess } from "../support/process.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";

const root = join(import.meta.dirname, "../..");

let folder: ReturnType<typeof makeTemporaryFolder>;
let service: ServingProcess;
let token: string;

/** A folder with nothing but the .proto files of the npm package, as whoever installs it has them. */
beforeAll(async () => {
  folder = makeTemporaryFolder();
  const data = join(folder.path, "data");
  service = await serveGatehouse(["--data", data]);
  token = readFileSync(join(data, "admin.token"), "utf8").trim();
  for (const path of listPackedProtos()) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    cpSync(join(root, path), join(folder.path, path));
  }
  symlinkSync(join(root, "node_modules"), join(folder.path, "node_modules"));
});
afterAll(async () => {
  await service.stop();
  folder.remove();
});

function listPackedProtos(): readonly string[] {
  const printed = execFileSync("npm", ["pack", "--ignore-scripts", "--dry-run", "--json"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = Object.values(JSON.parse(printed) as Record<string, { files: { path: string }[] }>);
  return (packed?.files ?? []).map(({ path }) => path).filter((path) => path.startsWith("proto/"));
}

/** The command of that name in docs/programs.md. */
function commandFor(name: string): string {
  const [command] = readNamed("docs/programs.md", name);
  if (command === undefined) throw new Error(`the page has no command ${name}`);
  return command;
}

const callWithConnect = `
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ProjectService } from "./client/gatehouse/v1/project_service_pb.js";
const [url, token] = process.argv.slice(2);
const projects = createClient(ProjectService, createGrpcTransport({ baseUrl: url }));
const { id } = await projects.addProject({ name: "Generated" }, { headers: { authorization: "Bearer " + token } });
console.log(/^[0-9]+$/.test(id));
process.exit();
`;

describe("a client made of the packed .proto files", () => {
  test("comes from the command for TypeScript in docs/programs.md, and calls the service", () => {
    writeFileSync(join(folder.path, "package.json"), '{"type": "module"}');
    writeFileSync(join(folder.path, "main.js"), callWithConnect);
    execFileSync("bash", ["-ec", commandFor("typescript")], { cwd: folder.path });
    const printed = execFileSync("node", ["main.js", service.url, token], { cwd: folder.path });
    expect(String(printed)).toBe("true\n");
  });

  test("is no more than a file of descriptors in Node, as docs/programs.md makes it", async () => {
    execFileSync("bash", ["-ec", commandFor("descriptors")], { cwd: folder.path });
    const definition = loadFileDescriptorSetFromBuffer(readFileSync(join(folder.path, "gatehouse.binpb")));
    const { gatehouse } = loadPackageDefinition(definition) as unknown as {
      gatehouse: { v1: { ProjectService: ServiceClientConstructor } };
    };
    const client = new gatehouse.v1.ProjectService(new URL(service.url).host, credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${token}`);
    const answer = await new Promise((resolve, reject) => {
      const addProject = client["addProject"] as (
        request: object,
        metadata: Metadata,
        done: (error: Error | null, answer: unknown) => void,
      ) => void;
      addProject.call(client, { name: "Loaded" }, metadata, (error, value) =>
        error === null ? resolve(value) : reject(error),
      );
    });
    client.close();
    expect(answer).toMatchObject({ id: expect.stringMatching(/^[0-9]+$/) });
  });

  test("has its place in Go and Java", () => {
    const definition = execFileSync(
      join(root, "node_modules/.bin/buf"),
      ["build", "proto", "-o", "-#format=json"],
      { cwd: folder.path, maxBuffer: 1 << 28 },
    );
    const { file } = JSON.parse(String(definition)) as {
      file: { name: string; options?: { goPackage?: string; javaPackage?: string } }[];
    };
    const without = file
      .filter(({ options }) => options?.goPackage === undefined || options.javaPackage === undefined)
      .map(({ name }) => name);
    expect(without).toEqual(["grpc/reflection/v1alpha/reflection.proto"]); // nothing of ours refers to it
    expect(file.length).toBeGreaterThan(25);
  });
});
