import type {
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
} from "@bufbuild/protobuf";
import { create, createFileRegistry, setExtension } from "@bufbuild/protobuf";
import {
  DescriptorProtoSchema,
  EnumDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  MethodDescriptorProtoSchema,
  MethodOptionsSchema,
  file_google_protobuf_duration,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from "@bufbuild/protobuf/wkt";
import { Effect, effect } from "../../../../gen/gatehouse/v1/effect_pb.ts";
import { OrganizationSource, access } from "../../../../gen/gatehouse/v1/access_pb.ts";
import { http } from "../../../../gen/google/api/annotations_pb.ts";

/** A service whose messages have a field of every kind: what ours do not have yet must work all the same. */
const scalars = [
  ["text", 1, Type.STRING],
  ["small", 2, Type.INT32],
  ["count", 3, Type.UINT32],
  ["large_number", 4, Type.INT64],
  ["unsigned_number", 5, Type.UINT64],
  ["flag", 6, Type.BOOL],
  ["raw", 7, Type.BYTES],
  ["ratio", 8, Type.DOUBLE],
] as const;

const field = (name: string, number: number, type: Type, typeName = "", label = Label.OPTIONAL) =>
  create(FieldDescriptorProtoSchema, { name, number, type, typeName, label, jsonName: jsonNameOf(name) });

const kinds = create(DescriptorProtoSchema, {
  name: "Kinds",
  field: [
    ...scalars.map(([name, number, type]) => field(name, number, type)),
    field("texts", 9, Type.STRING, "", Label.REPEATED),
    field("numbers", 10, Type.INT64, "", Label.REPEATED),
    field("inner", 11, Type.MESSAGE, ".test.v1.Inner"),
    field("inners", 12, Type.MESSAGE, ".test.v1.Inner", Label.REPEATED),
    field("color", 13, Type.ENUM, ".test.v1.Color"),
    field("free_form", 14, Type.MESSAGE, ".google.protobuf.Struct"),
    field("any_value", 15, Type.MESSAGE, ".google.protobuf.Value"),
    field("start_date", 16, Type.MESSAGE, ".google.protobuf.Timestamp"),
    field("period", 17, Type.MESSAGE, ".google.protobuf.Duration"),
    field("wrapped", 18, Type.MESSAGE, ".google.protobuf.StringValue"),
    field("amounts", 19, Type.MESSAGE, ".test.v1.Kinds.AmountsEntry", Label.REPEATED),
    create(FieldDescriptorProtoSchema, { ...plain("left", 20), oneofIndex: 0 }),
    create(FieldDescriptorProtoSchema, { ...plain("right", 21), oneofIndex: 0 }),
    create(FieldDescriptorProtoSchema, {
      ...field("middle", 22, Type.MESSAGE, ".test.v1.Inner"),
      oneofIndex: 0,
    }),
    field("wrapped_number", 23, Type.MESSAGE, ".google.protobuf.Int64Value"),
    field("small_numbers", 24, Type.SFIXED32, "", Label.REPEATED),
  ],
  oneofDecl: [{ name: "side" }],
  nestedType: [
    {
      name: "AmountsEntry",
      field: [field("key", 1, Type.STRING), field("value", 2, Type.INT32)],
      options: { mapEntry: true },
    },
  ],
});

function plain(name: string, number: number) {
  return { name, number, type: Type.STRING, label: Label.OPTIONAL, jsonName: name } as const;
}

function jsonNameOf(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

function method(name: string, rule: { get?: string; post?: string }, serverStreaming = false) {
  const options = create(MethodOptionsSchema);
  setExtension(options, effect, Effect.READ);
  setExtension(options, access, {
    $typeName: "gatehouse.v1.AccessRule",
    permission: "test",
    organization: OrganizationSource.CALLER,
    self: false,
    guardsCredentials: false,
    stopsUser: false,
    selfLimited: false,
    ownObjects: false,
  });
  const pattern =
    rule.get === undefined
      ? ({ case: "post", value: rule.post ?? "" } as const)
      : ({ case: "get", value: rule.get } as const);
  if (pattern.value !== "") {
    setExtension(options, http, {
      $typeName: "google.api.HttpRule",
      selector: "",
      body: pattern.case === "post" ? "*" : "",
      additionalBindings: [],
      pattern,
    });
  }
  const [inputType, outputType] = [".test.v1.Kinds", ".test.v1.Kinds"];
  return create(MethodDescriptorProtoSchema, { name, inputType, outputType, options, serverStreaming });
}

const file = create(FileDescriptorProtoSchema, {
  name: "test/v1/kinds.proto",
  package: "test.v1",
  syntax: "proto3",
  dependency: ["struct", "timestamp", "duration", "wrappers"].map((name) => `google/protobuf/${name}.proto`),
  messageType: [
    kinds,
    create(DescriptorProtoSchema, {
      name: "Inner",
      field: [field("note", 1, Type.STRING), field("next", 2, Type.MESSAGE, ".test.v1.Inner")],
    }),
  ],
  enumType: [
    create(EnumDescriptorProtoSchema, {
      name: "Color",
      value: [
        { name: "COLOR_UNSPECIFIED", number: 0 },
        { name: "COLOR_RED", number: 1 },
      ],
    }),
  ],
  service: [
    {
      name: "KindsService",
      method: [
        method("Echo", { post: "/v1/kinds" }),
        method("Query", { get: "/v1/kinds/{text}" }),
        method("QueryAll", { get: "/v1/kinds/all" }),
        method("Watch", {}, true),
      ],
    },
  ],
});

const files = [
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_duration,
  file_google_protobuf_wrappers,
];
const registry = createFileRegistry(
  create(FileDescriptorSetSchema, { file: [...files.map(({ proto }) => proto), file] }),
);

export const KindsSchema: DescMessage = registry.getMessage("test.v1.Kinds")!;
export const KindsService = registry.getService("test.v1.KindsService")! as DescService & {
  method: {
    echo: DescMethodUnary;
    query: DescMethodUnary;
    queryAll: DescMethodUnary;
    watch: DescMethodServerStreaming;
  };
};
