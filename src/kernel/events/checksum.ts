import { crc32 } from "node:zlib";

/** The columns of an event except its checksum. */
export interface EventColumns {
  readonly sequence: number;
  readonly date: number;
  readonly aggregate_type: string;
  readonly aggregate_id: string;
  readonly revision: number;
  readonly type: string;
  readonly version: number;
  readonly resource_owner: string;
  readonly editor: string;
  readonly request_id: string;
  readonly remote_address: Uint8Array | null;
  readonly remote_address_of: number | null;
  readonly payload: string;
  readonly personal: Uint8Array | null;
}

/** The columns of a secret except its checksum. */
export interface SecretColumns {
  readonly id: string;
  readonly key_id: string;
  readonly value: Uint8Array;
}

/**
 * Returns the CRC-32 of an event. It detects bits that the disk has changed, but no attack: anybody who can change a
 * row can change its checksum too. Each value is preceded by its length, so that different rows give different bytes.
 */
export function checksumOfEvent(row: EventColumns): number {
  const { type, aggregate_type: kind, aggregate_id: id, resource_owner: owner, editor, payload } = row;
  const { request_id: request, remote_address: address, personal } = row;
  const text = `${row.sequence} ${row.date} ${row.revision} ${row.version} ${row.remote_address_of} ${address?.length} ${
    personal?.length
  } ${kind.length}:${kind}${id.length}:${id}${type.length}:${type}${owner.length}:${owner}${editor.length}:${editor}${
    request.length
  }:${request}${payload}`;
  return crcOf(personal, crcOf(address, crc32(text)));
}

/** Returns the CRC-32 of a secret; see `checksumOfEvent`. */
export function checksumOfSecret({ id, key_id: key, value }: SecretColumns): number {
  return crc32(value, crc32(`${id.length}:${id}${key.length}:${key}`));
}

function crcOf(bytes: Uint8Array | null, before: number): number {
  return bytes === null ? before : crc32(bytes, before);
}
