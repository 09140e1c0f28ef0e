import assert from 'node:assert/strict';
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { createRedactor } from './create-redactor.js';

/** Output of this Node version's `console.table`. */
function tableOf(data: unknown): string {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      text += String(chunk);
      done();
    },
  });
  new Console({ stdout: stream }).table(data);
  return text;
}

const clean = (data: unknown): string => createRedactor().text(tableOf(data));

it('hides the cells below secret names in separated values', () => {
  const { text } = createRedactor();
  for (const sign of [',', ';', '\t']) {
    const rows = [
      ['user', '"password"', 'city'],
      ['ada', 'CANARY1', 'London'],
      ['bob', '"CANARY2"', 'Rome'],
    ].map((row) => row.join(sign));
    for (const end of ['\n', '\r\n']) {
      const shown = text(rows.join(end) + end);
      assert.doesNotMatch(shown, /CANARY/, shown);
      assert.match(shown, /ada.*London\r?\nbob.*Rome\r?\n$/s);
    }
  }
  for (const plain of [
    'user,city\na,b\n',
    'Dear all,\nthe password, as said, is elsewhere\n',
    'user,password\nsaid nothing\n',
  ])
    assert.equal(text(plain), plain);
});

it('hides only console table cells in columns or rows with secret names', () => {
  const rows = clean([
    { name: 'Ada', password: 'CANARY1' },
    { name: 'Bob', apiKey: 'CANARY2' },
  ]);
  const members = clean({ password: 'CANARY3', city: 'London', nested: { token: 'CANARY4', a: 'kept' } });
  const map = clean(new Map([['session_token', 'CANARY5']]));
  const list = clean([{ name: 'DB_PASSWORD', value: 'CANARY6' }]);
  assert.doesNotMatch(rows + members + map + list, /CANARY/);
  assert.match(rows, /Ada/);
  assert.match(members, /London/);
  assert.match(members, /kept/);
  const plain = [{ name: 'Ada', city: 'London' }];
  assert.equal(clean(plain), tableOf(plain));
});
