import {
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { access, type AccessRule } from "../../gen/gatehouse/v1/access_pb.ts";

const folder = join(import.meta.dirname, "../../gen/gatehouse/v1");

/** Returns every service that is described, found in the generated code, so that a new one is in every matrix by itself. */
export async function listServices(): Promise<readonly DescService[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith("_service_pb.ts"));
  const services: DescService[] = [];
  for (const file of files) {
    const module = (await import(join(folder, file))) as Readonly<Record<string, unknown>>;
    services.push(...Object.values(module).filter(isService));
  }
  return services;
}

/** Returns every unary method of every service. */
export async function listMethods(): Promise<readonly DescMethodUnary[]> {
  const services = await listServices();
  return services.flatMap((service) => service.methods.filter(isUnary));
}

/** Returns who may call the method; undefined when it does not say. */
export function ruleOf(method: DescMethod): AccessRule | undefined {
  return hasOption(method, access) ? getOption(method, access) : undefined;
}

function isService(value: unknown): value is DescService {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "service";
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}
