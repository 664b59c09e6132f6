import { create, createFileRegistry, type DescMessage } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";

const others: ReadonlySet<Type> = new Set([Type.GROUP, Type.MESSAGE, Type.ENUM]);
const scalars = Object.values(Type).filter((type) => typeof type === "number" && !others.has(type)) as Type[]; // the rest are names
/** protobuf has no such keys. */
const noKeys: ReadonlySet<Type> = new Set([Type.DOUBLE, Type.FLOAT, Type.BYTES]);

/** Every scalar of protobuf and an enum, each alone, in a packed list, in an unpacked one, and in a map as key and value. */
const file = create(FileDescriptorProtoSchema, {
  name: "test/v1/scalars.proto",
  package: "test.v1",
  syntax: "proto3",
  messageType: [
    {
      name: "Scalars",
      field: [
        ...scalars.flatMap((type) => {
          const canPack = type !== Type.STRING && type !== Type.BYTES;
          const unpacked = canPack ? { options: { packed: false } } : {};
          return [
            { name: `one_${type}`, number: type, type, label: Label.OPTIONAL },
            { name: `list_${type}`, number: 100 + type, type, label: Label.REPEATED },
            { name: `loose_${type}`, number: 200 + type, type, label: Label.REPEATED, ...unpacked },
            mapField(`map_${type}`, 300 + type),
          ];
        }),
        enumField("color", 400, Label.OPTIONAL),
        enumField("colors", 401, Label.REPEATED),
        messageField("self", 402, "Scalars", Label.OPTIONAL),
        messageField("selves", 403, "Scalars", Label.REPEATED),
        mapField("map_self", 404),
        { name: "far", number: 536_870_911, type: Type.STRING, label: Label.OPTIONAL },
      ],
      nestedType: [
        ...scalars.map((type) => entry(`Map${type}Entry`, noKeys.has(type) ? Type.STRING : type, { type })),
        entry("MapSelfEntry", Type.STRING, {
          type: Type.MESSAGE,
          typeName: ".test.v1.Scalars",
        }),
      ],
    },
  ],
  enumType: [
    {
      name: "Color",
      value: [
        { name: "COLOR_UNSPECIFIED", number: 0 },
        { name: "COLOR_RED", number: 1 },
      ],
    },
  ],
});

function mapField(name: string, number: number) {
  const entryName = `${name.replaceAll(/(?:^|_)(.)/g, (_all, letter: string) => letter.toUpperCase())}Entry`;
  return messageField(name, number, `Scalars.${entryName}`, Label.REPEATED);
}

function messageField(name: string, number: number, typeName: string, label: Label) {
  return { name, number, label, type: Type.MESSAGE, typeName: `.test.v1.${typeName}` };
}

function enumField(name: string, number: number, label: Label) {
  return { name, number, label, type: Type.ENUM, typeName: ".test.v1.Color" };
}

function entry(name: string, key: Type, value: { readonly type: Type; readonly typeName?: string }) {
  const label = Label.OPTIONAL;
  return {
    name,
    field: [
      { name: "key", number: 1, label, type: key },
      { name: "value", number: 2, label, ...value },
    ],
    options: { mapEntry: true },
  };
}

const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] }));

export const ScalarsSchema: DescMessage = registry.getMessage("test.v1.Scalars")!; // made above
