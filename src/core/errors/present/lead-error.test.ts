import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { flattenError } from '../thrown/flatten-error.js';
import { HttpError } from '../status/http-errors.js';
import { findLeadError } from './lead-error.js';

const options = { libraryFolders: [] };

/** An error whose stack has this application line, if any. */
function errorAt(message: string, line: number | undefined, more: { cause?: unknown } = {}): Error {
  const error = new Error(message, more);
  const frame = line === undefined ? '' : `\n    at run (${join(process.cwd(), 'shop.mjs')}:${line}:1)`;
  error.stack = `Error: ${message}${frame}\n    at node:internal/x:2:3`;
  return error;
}

function leadOf(thrown: unknown): unknown[] {
  const { message, frame, outer = [] } = findLeadError(flattenError(thrown, options)) ?? {};
  return [message, frame?.line, outer.map((one) => one.message)];
}

describe('the lead error', () => {
  it('is the innermost one with an application line, with its own message', () => {
    const chain = errorAt('Order 7 is not paid', 59, { cause: errorAt('The bank refused', 64) });
    assert.deepEqual(leadOf(chain), ['The bank refused', 64, ['Order 7 is not paid']]);
  });

  it('includes the message of a cause without a line in parentheses', () => {
    const chain = errorAt('fetch failed', 12, { cause: errorAt('connect ECONNREFUSED ::1:9', undefined) });
    assert.deepEqual(leadOf(chain), ['fetch failed (connect ECONNREFUSED ::1:9)', 12, []]);
  });

  it('is the first of several aggregated errors', () => {
    const gathered = new AggregateError([errorAt('mirror 1', 6), errorAt('mirror 2', 7)], 'All failed');
    gathered.stack = 'AggregateError: All failed';
    assert.deepEqual(leadOf(gathered), ['mirror 1', 6, ['All failed']]);
    assert.deepEqual(leadOf(errorAt('Outer', 1, { cause: gathered })), [
      'mirror 1',
      6,
      ['All failed', 'Outer'],
    ]);
  });

  it('is the innermost one if none has a line, but the outermost one if the request was refused', () => {
    const inner = errorAt('inner', undefined);
    assert.deepEqual(leadOf(errorAt('outer', undefined, { cause: inner })), ['inner', undefined, ['outer']]);
    const refusal = new HttpError(404, 'Not here', { cause: inner });
    refusal.stack = 'HttpError: Not here';
    assert.deepEqual(leadOf(refusal), ['Not here', undefined, []]);
  });

  it('is undefined for an empty report', () => {
    assert.equal(findLeadError({ status: 500, class: '', message: '', errors: [] }), undefined);
  });
});
