import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { headText } from './head-text.js';

function plainText(status: number, reason: string, fields: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${reason}\r\n`;
  for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`;
  return text + '\r\n';
}

describe('the text of a head', () => {
  it('is that of its own fields, whatever heads came before', () => {
    const pair = fc.tuple(fc.constantFrom('A', 'B'), fc.constantFrom('', '1', '2', 'é'));
    const fields = fc.array(pair, { maxLength: 6 }).map((pairs) => pairs.flat());
    const status = fc.constantFrom([200, 'OK'] as const, [200, 'Fine'] as const, [404, 'Not Found'] as const);
    fc.assert(
      fc.property(fc.array(fc.tuple(status, fields), { maxLength: 40 }), (heads) => {
        // Each a few times in a row, as it is where the text is kept.
        for (const [[code, reason], list] of [...heads, ...heads].flatMap((head) => [head, head, head]))
          assert.equal(headText(code, reason, [...list]), plainText(code, reason, list));
      }),
    );
  });

  it('follows a field that changes among others that do not', () => {
    for (const date of ['1', '1', '1', '2', '2', '2', '1']) {
      const fields = ['A', 'a', 'Date', date, 'B', 'b'];
      assert.equal(headText(200, 'OK', fields), plainText(200, 'OK', fields));
    }
  });
});
