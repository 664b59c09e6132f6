import { create, createFileRegistry, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  type FieldDescriptorProto_Type as Type,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";

const scalars = Object.values(ScalarType).filter((type) => typeof type === "number");
/** protobuf has no such keys. */
const noKeys: readonly number[] = [ScalarType.DOUBLE, ScalarType.FLOAT, ScalarType.BYTES];
const isOptional = Label.OPTIONAL;

/** Every scalar of protobuf and an enum, each alone, in a packed list, in an unpacked one, and in a map as key and value. */
const file = create(FileDescriptorProtoSchema, {
  name: "test/v1/scalars.proto",
  package: "test.v1",
  syntax: "proto3",
  messageType: [
    {
      name: "Scalars",
      field: [
        ...scalars.flatMap((scalar) => {
          const type = scalar as number as Type; // the same numbers
          const canPack = scalar !== ScalarType.STRING && scalar !== ScalarType.BYTES;
          const unpacked = canPack ? { options: { packed: false } } : {};
          return [
            { name: `one_${scalar}`, number: scalar, type, label: isOptional },
            { name: `list_${scalar}`, number: 100 + scalar, type, label: Label.REPEATED },
            { name: `loose_${scalar}`, number: 200 + scalar, type, label: Label.REPEATED, ...unpacked },
            mapField(`map_${scalar}`, 300 + scalar),
          ];
        }),
        enumField("color", 400, Label.OPTIONAL),
        enumField("colors", 401, Label.REPEATED),
        messageField("self", 402, "Scalars", Label.OPTIONAL),
        messageField("selves", 403, "Scalars", Label.REPEATED),
        mapField("map_self", 404),
        { name: "far", number: 536_870_911, type: FieldDescriptorProto_Type.STRING, label: isOptional },
      ],
      nestedType: [
        ...scalars.map((scalar) => {
          const type = scalar as number as Type; // the same numbers
          const key = noKeys.includes(scalar) ? FieldDescriptorProto_Type.STRING : type;
          return entry(`Map${scalar}Entry`, key, { type });
        }),
        entry("MapSelfEntry", FieldDescriptorProto_Type.STRING, {
          type: FieldDescriptorProto_Type.MESSAGE,
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
  return { name, number, label, type: FieldDescriptorProto_Type.MESSAGE, typeName: `.test.v1.${typeName}` };
}

function enumField(name: string, number: number, label: Label) {
  return { name, number, label, type: FieldDescriptorProto_Type.ENUM, typeName: ".test.v1.Color" };
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
