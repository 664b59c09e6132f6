import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { getOption, hasOption } from "@bufbuild/protobuf";
import { OrganizationSource, access } from "../../../../../gen/gatehouse/v1/access_pb.ts";
import type { Route } from "../../lanes/rest/routes.ts";
import { routesOf } from "../../lanes/rest/routes.ts";
import { conditionAnswerHeaders, conditionParameters, mayMismatch } from "./condition-headers.ts";
import type { Schema } from "./schema.ts";
import type { Schemas } from "./schemas.ts";
import { createSchemas } from "./schemas.ts";
import { isRequired } from "./rules.ts";

/** What the document is made of. */
export interface OpenApiOptions {
  readonly services: readonly DescService[];
  /** Comments of the protos by full name of the element. */
  readonly comments: Readonly<Record<string, string>>;
  readonly version: string;
}

/** Returns the OpenAPI 3.1 document of the REST mapping of the services, as JSON text. */
export function createOpenApi({ services, comments, version }: OpenApiOptions): string {
  const schemas = createSchemas(comments);
  const paths: Record<string, Record<string, Schema>> = {};
  for (const service of services) {
    for (const method of service.methods) {
      routesOf(method).forEach((route, index) => {
        const operations = (paths[route.template] ??= {});
        const operationId = `${service.name}_${method.name}${index === 0 ? "" : `_${index + 1}`}`;
        operations[route.verb.toLowerCase()] = toOperation(schemas, comments, { method, route, operationId });
      });
    }
  }
  return JSON.stringify({
    openapi: "3.1.1",
    info: {
      title: "Gatehouse",
      version,
      description:
        "Identity and access management. The same operations are served over gRPC and gRPC-web on the same port.",
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    tags: services.map((service) => ({ name: service.name, description: comments[service.typeName] ?? "" })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: tokenDescription },
      },
      responses: { Error: errorResponse },
      schemas: { ...schemas.components(), Status: statusSchema },
    },
  });
}

const tokenDescription =
  "A personal access token of a user, or an access token of OAuth for this API. " +
  "One that is bound to a key is sent in the scheme DPoP instead, with a proof of that key in the header DPoP (RFC 9449 §7.1).";

interface Operation {
  readonly method: DescMethod;
  readonly route: Route;
  readonly operationId: string;
}

function toOperation(
  schemas: Schemas,
  comments: Readonly<Record<string, string>>,
  { method, route, operationId }: Operation,
): Schema {
  const comment = comments[`${method.parent.typeName}.${method.name}`] ?? "";
  const [summary = ""] = comment.split("\n\n");
  const inPath = new Set(
    route.segments.flatMap((each) => (each.kind === "variable" ? [each.field.name] : [])),
  );
  const parameters = [
    ...method.input.fields
      .filter(({ name }) => inPath.has(name))
      .map((field) => pathParameter(schemas, field)),
    ...(route.hasBody ? [] : method.input.fields.filter(({ name }) => !inPath.has(name))).map((field) =>
      queryParameter(schemas, field),
    ),
    ...(readsOrganization(method) ? [organizationParameter] : []),
    ...conditionParameters(method),
  ];
  const body = schemas.requestOf(method.input, inPath);
  const headers = conditionAnswerHeaders(method, route);
  return {
    operationId,
    tags: [method.parent.name],
    summary: summary.replaceAll("\n", " "),
    description: comment,
    ...(method.deprecated ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.hasBody
      ? { requestBody: { required: "required" in body, content: { "application/json": { schema: body } } } }
      : {}),
    responses: {
      "200": {
        description: comments[method.output.typeName] ?? "Done.",
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        content: { "application/json": { schema: schemas.answerOf(method.output) } },
      },
      "400": errorReference,
      "401": errorReference,
      "403": errorReference,
      "404": errorReference,
      ...(mayMismatch(method) ? { "412": errorReference } : {}),
      default: errorReference,
    },
  };
}

function pathParameter(schemas: Schemas, field: DescMethod["input"]["fields"][number]): Schema {
  const { description, ...schema } = schemas.fieldOf(field);
  return {
    name: field.name,
    in: "path",
    required: true,
    ...(description === undefined ? {} : { description }),
    schema,
  };
}

function queryParameter(schemas: Schemas, field: DescMethod["input"]["fields"][number]): Schema {
  const { description, deprecated, ...schema } = schemas.fieldOf(field);
  return {
    name: field.jsonName,
    in: "query",
    ...(isRequired(field) ? { required: true } : {}),
    ...(description === undefined ? {} : { description }),
    ...(deprecated === true ? { deprecated } : {}),
    schema,
  };
}

function readsOrganization(method: DescMethod): boolean {
  return hasOption(method, access) && getOption(method, access).organization === OrganizationSource.HEADER;
}

const organizationParameter: Schema = {
  name: "x-service-orgid",
  in: "header",
  description: "Id of the organization to act on. Absent or empty: the organization of the caller.",
  schema: { type: "string" },
};

const errorReference: Schema = { $ref: "#/components/responses/Error" };

const errorResponse: Schema = {
  description: "The call failed; nothing of it was done.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Status" } } },
};

const statusSchema: Schema = {
  type: "object",
  description:
    "google.rpc.Status. `details` always holds a google.rpc.ErrorInfo, whose reason is for programs.",
  required: ["code", "message", "details"],
  properties: {
    code: { type: "integer", format: "int32", description: "Canonical code of gRPC." },
    message: {
      type: "string",
      description: "English text that says what to do. It may change; compare the reason instead.",
    },
    details: {
      type: "array",
      items: {
        type: "object",
        required: ["@type"],
        properties: {
          "@type": { type: "string", description: "Such as type.googleapis.com/google.rpc.ErrorInfo." },
        },
        additionalProperties: true,
      },
    },
  },
};
