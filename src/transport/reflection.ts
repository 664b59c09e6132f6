import type { DescFile, DescMethod, DescService, Message, Registry } from "@bufbuild/protobuf";
import { create, createRegistry, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { ServerReflectionRequest } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ReflectionV1 } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import type { Method } from "./method.ts";
import { filesOf } from "./validation.ts";

const maxRequestBytes = 4096;
const notFoundCode = 5;
const invalidCode = 3;

/** Returns server reflection v1 and v1alpha over the services given, itself among them. It takes no token. */
export function createReflectionMethods(services: readonly DescService[]): readonly Method[] {
  const all = [...services, ReflectionV1, ReflectionV1Alpha];
  const index = createIndex(all);
  return [ReflectionV1, ReflectionV1Alpha].map((service) =>
    toMethod(service.method.serverReflectionInfo, index),
  );
}

interface Index {
  readonly serviceNames: readonly string[];
  readonly files: ReadonlyMap<string, DescFile>;
  readonly registry: Registry;
}

function createIndex(services: readonly DescService[]): Index {
  const files = filesOf(services);
  return {
    serviceNames: services.map(({ typeName }) => typeName).toSorted(),
    files: new Map(files.map((file) => [`${file.name}.proto`, file])),
    registry: createRegistry(...files),
  };
}

function toMethod(descriptor: DescMethod, index: Index): Method {
  const answers = async function* (
    requests: AsyncIterable<Message>,
  ): AsyncGenerator<Message, void, undefined> {
    for await (const request of requests) {
      // v1 and v1alpha are the same but for the package.
      const originalRequest = request as ServerReflectionRequest;
      const { host } = originalRequest;
      const messageResponse = answer(index, originalRequest);
      yield create(descriptor.output, { validHost: host, originalRequest, messageResponse });
    }
  };
  return {
    kind: "stream",
    descriptor,
    maxRequestBytes,
    open: async (_arrival, receive) => answers(receive()),
  };
}

function answer(index: Index, { messageRequest: wanted }: ServerReflectionRequest) {
  switch (wanted.case) {
    case "listServices":
      return {
        case: "listServicesResponse",
        value: { service: index.serviceNames.map((name) => ({ name })) },
      };
    case "fileByFilename":
      return filesAnswer(index.files.get(wanted.value), wanted.value);
    case "fileContainingSymbol":
      return filesAnswer(findFile(index, wanted.value), wanted.value);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = wanted.value;
      const found = extensionsOf(index, containingType).find(({ number }) => number === extensionNumber);
      return filesAnswer(found?.file, `${containingType} extension ${extensionNumber}`);
    }
    case "allExtensionNumbersOfType": {
      if (index.registry.getMessage(wanted.value) === undefined)
        return errorAnswer(notFoundCode, wanted.value);
      const extensionNumber = extensionsOf(index, wanted.value).map(({ number }) => number);
      return { case: "allExtensionNumbersResponse", value: { baseTypeName: wanted.value, extensionNumber } };
    }
    case undefined:
      return errorAnswer(invalidCode, "the request is empty");
  }
}

/** Returns the file of a service, method, message, field, enum, enum value or extension by its full name. */
function findFile({ registry }: Index, symbol: string): DescFile | undefined {
  const element = registry.get(symbol);
  if (element !== undefined) return element.file;
  const dot = symbol.lastIndexOf(".");
  const parent = dot < 0 ? undefined : registry.get(symbol.slice(0, dot));
  const name = symbol.slice(dot + 1);
  switch (parent?.kind) {
    case "service":
      return parent.methods.some((method) => method.name === name) ? parent.file : undefined;
    case "message":
      return parent.members.some((member) => member.name === name) ? parent.file : undefined;
    case "enum":
      return parent.values.some((value) => value.name === name) ? parent.file : undefined;
    default:
      return undefined;
  }
}

function extensionsOf({ registry }: Index, typeName: string) {
  return [...registry]
    .filter((each) => each.kind === "extension")
    .filter((each) => each.extendee.typeName === typeName);
}

/** Answers the file and everything it imports, so that a caller needs one question. */
function filesAnswer(file: DescFile | undefined, wanted: string) {
  if (file === undefined) return errorAnswer(notFoundCode, wanted);
  const fileDescriptorProto = filesOf([{ file }]).map(({ proto }) =>
    toBinary(FileDescriptorProtoSchema, proto),
  );
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function errorAnswer(errorCode: number, wanted: string) {
  const errorMessage = errorCode === notFoundCode ? `not found: ${wanted}` : wanted;
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
