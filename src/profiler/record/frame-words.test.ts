import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ErrorReport } from '#errors';
import { flattenError } from '#errors';
import { packFrames, unpackFrames } from './frame-words.js';
import { PackReader } from './pack-reader.js';
import { PackWriter } from './pack-writer.js';

function report(message: string): ErrorReport {
  const cause = new TypeError('inner');
  const gathered = new AggregateError([new Error('one', { cause }), 'two'], message, { cause });
  return JSON.parse(JSON.stringify(flattenError(gathered))) as ErrorReport; // as plain as it is recorded
}

describe('frames among the words of a segment', () => {
  it('come back as they were, those of gathered errors too', () => {
    const pack = new PackWriter();
    const reports = [report('first'), report('second')];
    for (const one of reports) {
      const packed = packFrames(one, pack);
      pack.begin();
      pack.string(JSON.stringify(packed));
    }
    const reader = new PackReader(pack.seal());
    for (const [index, one] of reports.entries()) {
      reader.open(index);
      const read = JSON.parse(reader.string()) as ReturnType<typeof packFrames>; // written above
      assert.deepEqual(unpackFrames(read, reader), one);
    }
  });

  it('stand there once', () => {
    const pack = new PackWriter();
    const weights = ['first', 'second'].map((message) => {
      packFrames(report(message), pack);
      return pack.weight;
    });
    assert.ok(weights[0] !== 0);
    assert.equal(weights[1], weights[0]);
  });

  it('a report with its frames in place is read too', () => {
    const one = report('older');
    assert.deepEqual(unpackFrames(one, new PackReader(new PackWriter().seal())), one);
  });
});
