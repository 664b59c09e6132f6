// Prints a proto2 or proto3 file descriptor as .proto text, without comments.
//
// It knows only what buf/validate/validate.proto uses and throws on everything else, so that nothing is dropped in
// silence. A test compiles its output and compares the descriptor with the one it was printed from.
import { create, createFileRegistry, toJson } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/**
 * Prints the file that the descriptor describes.
 *
 * @param {import("@bufbuild/protobuf").DescFile} file
 * @returns {string}
 */
export function printProto(file) {
  const set = create(FileDescriptorSetSchema, {
    file: [...file.dependencies.map((each) => each.proto), file.proto],
  });
  const json = toJson(FileDescriptorProtoSchema, file.proto, { registry: createFileRegistry(set) });
  expectKeys(json, "name package dependency messageType enumType extension options syntax");
  const scope = { packageName: json.package, proto3: json.syntax === "proto3" };
  const blocks = [
    `syntax = "${json.syntax ?? "proto2"}";`,
    `package ${json.package};`,
    (json.dependency ?? []).map((path) => `import "${path}";`).join("\n"),
    Object.entries(json.options ?? {})
      .map(([name, value]) => `option ${optionName(name, scope)} = ${textValue(value, enumNames(name))};`)
      .join("\n"),
    ...(json.extension ?? []).map((field) => printExtension(field, scope)),
    ...(json.messageType ?? []).map((message) => printMessage(message, scope)),
    ...(json.enumType ?? []).map((each) => printEnum(each)),
  ];
  return `${blocks.filter((each) => each !== "").join("\n\n")}\n`;
}

function printExtension(field, scope) {
  const { extendee, ...rest } = field;
  return block(`extend ${extendee}`, [printField(rest, scope)]);
}

function printMessage(message, scope) {
  expectKeys(message, "name field oneofDecl reservedRange reservedName extensionRange");
  const oneofs = (message.oneofDecl ?? []).map((oneof, index) => {
    expectKeys(oneof, "name");
    return { at: message.field.findIndex((field) => field.oneofIndex === index), index, name: oneof.name };
  });
  const lines = [];
  for (const [position, field] of (message.field ?? []).entries()) {
    const oneof = oneofs.find(({ index }) => index === field.oneofIndex);
    if (oneof === undefined) lines.push(printField(field, scope));
    else if (oneof.at === position) {
      const members = message.field.filter((each) => each.oneofIndex === oneof.index);
      lines.push(
        block(
          `oneof ${oneof.name}`,
          members.map((each) => printField(each, scope)),
        ),
      );
    }
  }
  return block(`message ${message.name}`, [
    ...lines,
    ...(message.extensionRange ?? []).map((range) => {
      expectKeys(range, "start end");
      return `extensions ${printRange(range.start, range.end - 1, 536870911)};`;
    }),
    ...printReserved(message, (range) => printRange(range.start, range.end - 1, 536870911)),
  ]);
}

function printEnum(declaration) {
  expectKeys(declaration, "name value reservedRange reservedName");
  return block(`enum ${declaration.name}`, [
    ...declaration.value.map((value) => {
      expectKeys(value, "name number");
      return `${value.name} = ${value.number};`;
    }),
    ...printReserved(declaration, (range) => printRange(range.start, range.end, 2147483647)),
  ]);
}

function printReserved({ reservedRange = [], reservedName = [] }, toText) {
  return [
    ...reservedRange.map((range) => `reserved ${toText(range)};`),
    ...reservedName.map((name) => `reserved "${name}";`),
  ];
}

function printRange(first, last, maximum) {
  if (first === last) return String(first);
  return `${first} to ${last === maximum ? "max" : last}`;
}

function printField(field, scope) {
  expectKeys(field, "name number label type typeName oneofIndex options jsonName");
  const type = field.typeName ?? field.type.replace("TYPE_", "").toLowerCase();
  const options = Object.entries(field.options ?? {}).map(
    ([name, value]) => `${optionName(name, scope)} = ${textValue(value, enumNames(name))}`,
  );
  const suffix = options.length === 0 ? "" : ` [${options.join(", ")}]`;
  return `${printLabel(field, scope)}${type} ${field.name} = ${field.number}${suffix};`;
}

function printLabel(field, scope) {
  if (field.label === "LABEL_REPEATED") return "repeated ";
  if (field.label === "LABEL_REQUIRED") return "required ";
  return field.oneofIndex !== undefined || scope.proto3 ? "" : "optional ";
}

function optionName(jsonName, scope) {
  if (!jsonName.startsWith("[")) return snakeCase(jsonName);
  return `(${jsonName.slice(1, -1).replace(`${scope.packageName}.`, "")})`;
}

/** Says whether the values of an option are names of enum values, which text has without quotes. */
function enumNames(jsonName) {
  return ["optimizeFor", "ctype", "jstype"].includes(jsonName);
}

function textValue(value, isName) {
  if (Array.isArray(value)) return `[${value.map((each) => textValue(each, isName)).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([name, each]) => `${snakeCase(name)}: ${textValue(each, isName)}`,
    );
    return `{ ${members.join(", ")} }`;
  }
  if (typeof value !== "string" || isName) return String(value);
  return JSON.stringify(value);
}

function snakeCase(jsonName) {
  return jsonName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function block(head, lines) {
  const body = lines.flatMap((line) => line.split("\n")).map((line) => `  ${line}\n`);
  return `${head} {\n${body.join("")}}`;
}

function expectKeys(object, known) {
  const names = known.split(" ");
  const unknown = Object.keys(object).filter((key) => !names.includes(key));
  if (unknown.length > 0)
    throw new Error(`print-proto does not know ${unknown.join(", ")} (in ${object.name})`);
}
