import type { DescFile, DescMethod, DescService, Message, Registry } from "@bufbuild/protobuf";
import { create, createRegistry, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { ServerReflectionRequest } from "../../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { file_gatehouse_v1_error_reason } from "../../../../gen/gatehouse/v1/error_reason_pb.ts";
import { file_google_rpc_error_details } from "../../../../gen/google/rpc/error_details_pb.ts";
import { file_google_rpc_status } from "../../../../gen/google/rpc/status_pb.ts";
import { ServerReflection as ReflectionV1 } from "../../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ReflectionV1Alpha } from "../../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import type { Method } from "../calls/method.ts";
import { tooManyStreams } from "../errors/refusals.ts";
import { filesOf } from "../calls/field-rules/proto-files.ts";

const maxRequestBytes = 4096;
/** Requests on one stream. No client asks about this many files and types. */
const maxRequests = 1000;
/** The file of the details of errors: no service imports it, but clients need it to decode them. */
const errorFiles = [
  file_google_rpc_status,
  file_google_rpc_error_details,
  file_gatehouse_v1_error_reason,
].map((file) => ({ file }));
const notFoundCode = 5;
const invalidCode = 3;

/**
 * Creates server reflection v1 and v1alpha, for the given services and for itself. It takes no token, so the questions on a stream,
 * and how often it gets the same files, are limited. Raises TOO_MANY_STREAMS.
 */
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
  /** Encodes a file; each one only once. */
  bytesOf(file: DescFile): Uint8Array;
}

function createIndex(services: readonly DescService[]): Index {
  const files = filesOf([...services, ...errorFiles]);
  const made = new Map<DescFile, Uint8Array>();
  return {
    serviceNames: services.map(({ typeName }) => typeName).toSorted(),
    files: new Map(files.map((file) => [`${file.name}.proto`, file])),
    registry: createRegistry(...files),
    bytesOf(file) {
      const bytes = made.get(file) ?? toBinary(FileDescriptorProtoSchema, file.proto);
      made.set(file, bytes);
      return bytes;
    },
  };
}

function toMethod(descriptor: DescMethod, index: Index): Method {
  const answers = async function* (
    requests: AsyncIterable<Message>,
  ): AsyncGenerator<Message, void, undefined> {
    const sent = new Set<DescFile>();
    let count = 0;
    for await (const request of requests) {
      if (++count > maxRequests)
        throw tooManyStreams(`the stream had ${maxRequests} requests; open another one`);
      // v1 and v1alpha differ only in the package.
      const originalRequest = request as ServerReflectionRequest;
      const { host } = originalRequest;
      const messageResponse = answer({ index, sent }, originalRequest);
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

/** The state of one stream. */
interface Conversation {
  readonly index: Index;
  /** The files that the caller already has. */
  readonly sent: Set<DescFile>;
}

function answer(conversation: Conversation, { messageRequest: wanted }: ServerReflectionRequest) {
  const { index } = conversation;
  switch (wanted.case) {
    case "listServices":
      return {
        case: "listServicesResponse",
        value: { service: index.serviceNames.map((name) => ({ name })) },
      };
    case "fileByFilename":
      return filesAnswer(conversation, index.files.get(wanted.value), wanted.value);
    case "fileContainingSymbol":
      return filesAnswer(conversation, findFile(index, wanted.value), wanted.value);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = wanted.value;
      const found = extensionsOf(index, containingType).find(({ number }) => number === extensionNumber);
      return filesAnswer(conversation, found?.file, `${containingType} extension ${extensionNumber}`);
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

/** Finds the file of a service, method, message, field, enum, enum value or extension by its full name. */
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

/**
 * Answers with the file and everything it imports, so that a caller needs one question. Leaves out imports that the caller already
 * got on the same stream.
 */
function filesAnswer({ index, sent }: Conversation, file: DescFile | undefined, wanted: string) {
  if (file === undefined) return errorAnswer(notFoundCode, wanted);
  const files = filesOf([{ file }]).filter((each) => each === file || !sent.has(each));
  for (const each of files) sent.add(each);
  const fileDescriptorProto = files.map((each) => index.bytesOf(each));
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function errorAnswer(errorCode: number, wanted: string) {
  const errorMessage = errorCode === notFoundCode ? `not found: ${wanted}` : wanted;
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
