import type { CodedError } from '#coded-error';
import type { Peer, RequestSource } from '../source/request-source.js';

/** What is known of a request that is none. */
export interface RefusedSource extends RequestSource {
  readonly failure: CodedError;
}

const maxHeadBytes = 2048;
const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}$/;
const fieldPattern = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;
const maxFields = 100;

/**
 * A request of bytes that are none: what can be read of its first line and fields, and why it was refused. It serves
 * to show what came; nothing of it was checked.
 */
export function createRefusedSource(
  failure: CodedError,
  packet: Uint8Array | undefined,
  peer: Peer,
): RefusedSource {
  const rawHead =
    packet === undefined ? '' : Buffer.from(packet.subarray(0, maxHeadBytes)).toString('latin1');
  const [first = '', ...lines] = rawHead.split(/\r?\n/, maxFields + 1);
  const [method = '', target = '', version = ''] = first.split(' ');
  return {
    method: tokenPattern.test(method) ? method : '-',
    target,
    rawHeaders: readableFields(lines),
    httpVersion: /^HTTP\/(\d\.\d)$/.exec(version)?.[1] ?? '',
    peer,
    failure,
    rawHead,
  };
}

function readableFields(lines: readonly string[]): string[] {
  const fields: string[] = [];
  for (const line of lines) {
    if (line === '') break;
    const [, name, value] = fieldPattern.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.push(name, value.trim());
  }
  return fields;
}
