import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor } from '#core/dump';
import { flattenError, renderErrorAnswer } from '#core/errors';
import { HttpRequest } from '#core/http';
import { createProfiler } from '#profiler';
import { watchRequest } from '../profiler/watch-request.js';

/** The texts that inputs repeat, alone and in pairs. `guard/pumped-readers` does the same for the reader of each part. */
const atoms = (
  'a|A1|=|:|; |,|&|%|&%|%41|"|\\|\\"|\'|{"a":|[|]|(|)|<|>|</|<a|<a>|<token>|</token>|<![CDATA[|]]>|<input |<style>|name=|name="|token=|' +
  "password '|bearer |eyJ|x://|@|-----BEGIN |curl -u |insert into |select a,|update a set |values (|Key (|sk_|SG.|\r\n|\n| |\t|.|-|/|*/*|;q=|" +
  'for=|    at |at a (|/a:1:2)|--b|\r\n--b|eval at |#|?|_|\u00e9|\ud800'
).split('|');
const longest = 65_536;
/** A linear reader takes a few milliseconds (some tens on a busy machine); a quadratic one takes seconds. */
const mostMilliseconds = 800;

const redactor = createRedactor();
const source = {
  method: 'POST',
  httpVersion: '1.1',
  peer: { address: '127.0.0.1', port: 1, encrypted: false },
};
/** Each atom, each pair of neighbours in the list, and some pairs further apart; all pairs would take minutes. */
const units = atoms.flatMap((atom, index) => [
  atom,
  ...[1, 2, 3, 5, 8, 13, 21, 34].map((step) => atom + (atoms[(index + step) % atoms.length] ?? '')),
]);
/** Each unit with one type, and each type with every nth unit, because all types share one reader. */
function* eachWithOne(types: readonly string[]): Generator<readonly [unit: string, type: string]> {
  for (const [index, unit] of units.entries()) yield [unit, types[index % types.length] ?? ''];
}
const pumped = (unit: string, length = longest): string => unit.repeat(Math.floor(length / unit.length));

/** Milliseconds of this process's CPU time: other programs on the machine do not lengthen it. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

describe('inputs of 64 KB that repeat the same few characters', () => {
  it("take no longer to read as a request's form or JSON", async () => {
    const types = [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=b',
      'application/json',
    ];
    for (const [unit, type] of eachWithOne(types)) {
      const bytes = Buffer.from(type.startsWith('multi') ? `--b\r\n${pumped(unit)}` : pumped(unit));
      const rawHeaders = ['Host', 'a', 'Content-Type', type];
      const body = {
        async *chunks() {
          yield bytes;
        },
      };
      const request = new HttpRequest({ ...source, target: '/', rawHeaders, body });
      const begun = processorTime();
      await (
        type === 'application/json' ? request.json() : request.form().then((form) => form.toRecord())
      ).catch(() => undefined);
      const took = processorTime() - begun;
      assert.ok(took < mostMilliseconds * 2, `${type} ${JSON.stringify(unit)}: ${took} ms`);
    }
  });

  it('take no longer to record, whatever type the bodies have', async () => {
    const profiler = createProfiler({
      store: 'memory:',
      retention: { records: 10, ageDays: 1, bytes: 1e7 },
    });
    const types = [
      'text/html',
      'application/xml',
      'text/plain',
      'multipart/form-data; boundary=b',
      'application/json; charset=utf-16le',
    ];
    // Redaction was tested with every unit above.
    for (const [unit, type] of atoms.flatMap((atom) => types.map((type) => [atom, type] as const))) {
      const body = pumped(unit);
      const rawHeaders = ['Host', 'a', 'Content-Type', type];
      const begun = processorTime();
      const token = watchRequest(profiler, {
        source: { target: '/', method: 'POST', rawHeaders },
        during: (recording) => recording.requestBody(body),
        body,
        sent: { headers: ['Content-Type', type] },
      });
      await profiler.find(token);
      const took = processorTime() - begun;
      assert.ok(took < mostMilliseconds * 3, `${type} ${JSON.stringify(unit)}: ${took} ms`);
    }
    await profiler.close();
  });

  it('take no longer on an error page', () => {
    for (const unit of atoms) {
      const text = pumped(unit, 16_384);
      const report = flattenError(Object.assign(new Error(text), { text }), { redactor });
      for (const accept of ['text/html', 'application/json', 'text/markdown', 'text/plain']) {
        const begun = processorTime();
        renderErrorAnswer(report, { debug: true, accept });
        assert.ok(processorTime() - begun < mostMilliseconds * 2, `${accept} ${JSON.stringify(unit)}`);
      }
    }
  });
});
