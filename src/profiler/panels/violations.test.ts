import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ProfileRecord } from '../model/profile-record.js';
import { validationPanel } from './violations.js';

function rowsOf(content: string, status = 422): readonly unknown[] {
  const record = { response: { status, body: { content } } } as unknown as ProfileRecord; // all that is read
  const [block] = validationPanel.show(record, {} as never); // it has no links
  const table = block?.kind === 'section' ? block.blocks[0] : undefined;
  return table?.kind === 'table'
    ? table.rows.map(({ cells: [field, message] }) => [
        typeof field === 'object' ? field.text : field,
        message,
      ])
    : [];
}

describe('violations of a refused request', () => {
  it('are read of every common shape', () => {
    const expected = [['email', 'is required']];
    for (const body of [
      { violations: [{ propertyPath: 'email', message: 'is required' }] },
      { violations: [{ path: ['email'], message: 'is required' }] },
      { errors: [{ pointer: 'email', detail: 'is required' }] },
      { errors: { email: ['is required'] } },
      { issues: [{ path: ['email'], message: 'is required' }] },
      { details: [{ field: 'email', msg: 'is required' }] },
      [{ instancePath: 'email', message: 'is required' }],
    ])
      assert.deepEqual(rowsOf(JSON.stringify(body)), expected, JSON.stringify(body));
    assert.deepEqual(rowsOf('{"errors":["no good"]}', 400), [['–', 'no good']]);
  });

  it('are those of a refused request alone', () => {
    assert.deepEqual(rowsOf('{"errors":["no good"]}', 200), []);
    const without = { response: null } as ProfileRecord; // all that is read
    assert.deepEqual(validationPanel.show(without, {} as never), [
      { kind: 'text', text: 'No input was refused.' },
    ]); // it has no links
  });

  it('a 422 whose body names none, such as a page, does not say that nothing was refused', () => {
    const page = {
      response: { status: 422, body: { content: '<h1>Refused</h1>' } },
    } as unknown as ProfileRecord; // as above
    const [block] = validationPanel.show(page, {} as never); // it has no links
    assert.match(
      block?.kind === 'text' ? String(block.text) : '',
      /^The response is a 422, but .* no refused value/,
    );
  });

  it('nothing that a body holds makes them fail', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (content) => {
        rowsOf(content);
        rowsOf(`{"errors":${content}}`);
      }),
    );
  });
});
