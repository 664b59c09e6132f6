import {
  create,
  createRegistry,
  type DescFile,
  fromJson,
  type JsonObject,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import {
  type Client,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { loadFileDescriptorSetFromBuffer } from "@grpc/proto-loader";
import { file_gatehouse_v1_application_service } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { file_gatehouse_v1_identity_provider_service } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { file_gatehouse_v1_membership_service } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { file_gatehouse_v1_organization_service } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { file_gatehouse_v1_project_service } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { file_gatehouse_v1_user_grant_service } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { file_gatehouse_v1_user_service } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { fetchInText } from "../support/web-text.ts";

export interface DemoAnswer {
  readonly ok: boolean;
  /** Status as the protocol says it. */
  readonly status: string;
  /** The answer in protobuf JSON. */
  readonly body: JsonObject;
}

/** A client of one content type. Requests are protobuf JSON. */
export interface DemoClient {
  readonly contentType: string;
  call(service: string, rpc: string, request: object): Promise<DemoAnswer>;
  close(): void;
}

const files = [
  file_gatehouse_v1_application_service,
  file_gatehouse_v1_identity_provider_service,
  file_gatehouse_v1_membership_service,
  file_gatehouse_v1_organization_service,
  file_gatehouse_v1_project_service,
  file_gatehouse_v1_user_grant_service,
  file_gatehouse_v1_user_service,
];
const registry = createRegistry(...files);

/** Returns a real client for each content type. */
export function createDemoClients(url: string, token: string): readonly DemoClient[] {
  return [
    createFetchClient(url, token),
    createGrpcJsClient(url, token),
    createWebClient("application/grpc-web+proto", createGrpcWebTransport({ baseUrl: url }), token),
    createWebClient(
      "application/grpc-web-text",
      createGrpcWebTransport({ baseUrl: url, fetch: fetchInText }),
      token,
    ),
  ];
}

function createFetchClient(url: string, token: string): DemoClient {
  return {
    contentType: "application/json",
    async call(service, rpc, request) {
      const response = await fetch(`${url}/${service}/${rpc}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify(request),
      });
      const body = (await response.json()) as JsonObject; // answers and errors are objects
      const says = response.ok ? "" : ` ${JSON.stringify(body["message"])}`;
      return { ok: response.ok, status: `${response.status}${says}`, body };
    },
    close: () => undefined,
  };
}

/** grpc-js with stubs that are made at run time from descriptors, as programs do that have no generated code. */
function createGrpcJsClient(url: string, token: string): DemoClient {
  const definition = loadFileDescriptorSetFromBuffer(Buffer.from(toDescriptorSet()), {
    longs: String,
    enums: String,
  });
  const loaded = loadPackageDefinition(definition);
  const stubs = new Map<string, Client>();
  const stubOf = (service: string): Client => {
    const known = stubs.get(service);
    if (known !== undefined) return known;
    // loadPackageDefinition nests constructors by the parts of the package.
    const Stub = service
      .split(".")
      .reduce((at: unknown, part) => (at as Record<string, unknown>)[part], loaded) as new (
      address: string,
      channel: ReturnType<typeof credentials.createInsecure>,
    ) => Client;
    const stub = new Stub(new URL(url).host, credentials.createInsecure());
    stubs.set(service, stub);
    return stub;
  };
  return {
    contentType: "application/grpc",
    call: (service, rpc, request) =>
      new Promise((resolve) => {
        const metadata = new Metadata();
        metadata.set("authorization", `Bearer ${token}`);
        const stub = stubOf(service) as unknown as Record<string, (...args: unknown[]) => void>; // methods are made at run time
        stub[rpc]?.(toLoaderForm(request), metadata, (error: ServiceError | null, answer: JsonObject) => {
          if (error === null) resolve({ ok: true, status: "OK", body: fromLoaderForm(answer) });
          else resolve({ ok: false, status: `${status[error.code]} ${error.details}`, body: {} });
        });
      }),
    close: () => {
      for (const stub of stubs.values()) stub.close();
    },
  };
}

function createWebClient(contentType: string, transport: Transport, token: string): DemoClient {
  return {
    contentType,
    async call(service, rpc, request) {
      const descriptor = registry.getService(service);
      const method = descriptor?.methods.find((candidate) => candidate.name === rpc);
      if (descriptor === undefined || method === undefined) throw new Error(`there is no ${service}/${rpc}`);
      const client = createClient(descriptor, transport) as unknown as Record<
        string,
        (request: unknown, options: { headers: Record<string, string> }) => Promise<never>
      >; // typed by a descriptor that is found at run time
      try {
        const message = fromJson(method.input, request as JsonObject);
        const answer = await client[method.localName]?.(message, {
          headers: { authorization: `Bearer ${token}` },
        });
        return { ok: true, status: "OK", body: toJson(method.output, answer as never) as JsonObject };
      } catch (error) {
        const problem = ConnectError.from(error);
        return { ok: false, status: `${Code[problem.code]} ${problem.rawMessage}`, body: {} };
      }
    },
    close: () => undefined,
  };
}

/** Returns the descriptors of all services with everything that they import, imports first. */
function toDescriptorSet(): Uint8Array {
  const all = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    for (const dependency of file.dependencies) add(dependency);
    all.set(file.proto.name, file);
  };
  for (const file of files) add(file);
  const protos = [...all.values()].map((file) => create(FileDescriptorProtoSchema, file.proto));
  return toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: protos }));
}

/**
 * Stubs out of descriptors have the names of the proto, bytes as they are, and no JSON form of google.protobuf.Struct and
 * Timestamp.
 */
function toLoaderForm(request: object): object {
  return Object.fromEntries(
    Object.entries(request).map(([key, value]: [string, unknown]) => {
      const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      if (key === "publicKeyCredential") return [name, toStruct(value as object)];
      if (key === "metadataXml") return [name, Buffer.from(value as string, "base64")];
      const isMessage = typeof value === "object" && value !== null && !Array.isArray(value);
      return [name, isMessage ? toLoaderForm(value) : value];
    }),
  );
}

/** A map field is a list of entries in a descriptor, and stays one in such a stub. */
function toStruct(value: object): object {
  return { fields: Object.entries(value).map(([key, item]) => ({ key, value: toValue(item) })) };
}

function toValue(value: unknown): object {
  if (typeof value === "string") return { string_value: value };
  if (typeof value === "number") return { number_value: value };
  if (typeof value === "boolean") return { bool_value: value };
  if (Array.isArray(value)) return { list_value: { values: value.map(toValue) } };
  return value === null ? { null_value: "NULL_VALUE" } : { struct_value: toStruct(value as object) };
}

function fromLoaderForm(answer: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(answer)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => {
        const key = name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
        if (key === "publicKeyCredentialCreationOptions") return [key, fromStruct(value as JsonObject)];
        if (key.endsWith("Date")) return [key, fromTimestamp(value as JsonObject)];
        return [key, key === "details" ? fromLoaderForm(value as JsonObject) : value];
      }),
  );
}

function fromTimestamp({ seconds, nanos }: JsonObject): string {
  const micros = String(Math.floor(Number(nanos) / 1000)).padStart(6, "0");
  return new Date(Number(seconds) * 1000).toISOString().replace(".000Z", `.${micros}Z`);
}

function fromStruct({ fields }: JsonObject): JsonObject {
  const entries = fields as unknown as readonly { key: string; value: JsonObject }[]; // as above
  return Object.fromEntries(entries.map(({ key, value }) => [key, fromValue(value)]));
}

function fromValue(value: JsonObject): JsonObject[string] {
  const [kind, item] =
    Object.entries(value).find(([key, candidate]) => key !== "kind" && candidate !== undefined) ?? [];
  if (kind === "struct_value") return fromStruct(item as JsonObject);
  if (kind === "list_value") return (((item as JsonObject)["values"] ?? []) as JsonObject[]).map(fromValue);
  return kind === "null_value" || item === undefined ? null : item;
}
