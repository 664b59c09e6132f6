import type { DescService } from "@bufbuild/protobuf";
import type { Client, Gatehouse } from "../../client/client.ts";

/** The service as planning and exporting read it: nothing is asked for twice. */
export interface ServiceReader {
  /** Returns a client of a service that acts on the organization; empty: on that of the caller. */
  in<Service extends DescService>(organizationId: string, service: Service): Client<Service>;
  /** Returns the earlier result of `read` for the key, or reads it. */
  once<T>(key: string, read: () => Promise<T>): Promise<T>;
}

/** Creates a reader. */
export function createServiceReader(gatehouse: Gatehouse): ServiceReader {
  const read = new Map<string, Promise<unknown>>();
  return {
    in: (organizationId, service) =>
      (organizationId === "" ? gatehouse : gatehouse.within(organizationId)).client(service),
    once<T>(key: string, load: () => Promise<T>) {
      const known = read.get(key) ?? load();
      read.set(key, known);
      return known as Promise<T>; // a key is always read by the same function
    },
  };
}

/** Collects what a list yields. */
export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
