import assert from 'node:assert/strict';
import type { ProfileRecord } from 'lookback/profiler';
import type { WireResponse } from './wire-client.js';
import { ask, header } from './wire-client.js';

/** The token in a response. */
export function tokenOf(response: WireResponse): string {
  const token = header(response, 'x-debug-token');
  assert.match(token ?? '', /^[0-9a-f]{6,32}$/, `no token in ${response.raw.slice(0, 400)}`);
  return token ?? '';
}

/** The record that a response names, requested immediately. */
export async function recordOf(baseUrl: string, response: WireResponse): Promise<ProfileRecord> {
  const answer = await ask(baseUrl, `/_profiler/${tokenOf(response)}.json`);
  assert.equal(answer.status, 200, answer.body.slice(0, 400));
  return JSON.parse(answer.body) as ProfileRecord; // the test then checks the schema
}

/** The listeners that a record lists as called in a stage, in order. */
export function listenersOf(record: ProfileRecord, event: string): string[] {
  return record.events
    .filter((stage) => stage.event === event)
    .flatMap((stage) => stage.listeners.map(({ name }) => name));
}
