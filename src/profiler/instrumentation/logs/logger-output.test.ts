import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseLine } from './logger-output.js';

describe('a pino line', () => {
  it('is parsed without time and process', () => {
    const line = '{"level":30,"time":1,"pid":2,"hostname":"h","part":"shop","msg":"paid"}\n';
    assert.deepEqual(parseLine(line), { level: 30, part: 'shop', msg: 'paid' });
  });

  it("keeps only a request's distinguishing properties", () => {
    const line = '{"req":{"id":7,"method":"GET","url":"/a","headers":{"cookie":"sid=1"}}}\n';
    assert.deepEqual(parseLine(line), { req: { id: 7, method: 'GET', url: '/a' } });
    assert.deepEqual(parseLine('{"req":{"method":"GET","url":"/a"}}'), { req: { method: 'GET', url: '/a' } });
    assert.deepEqual(parseLine('{"req":"GET /a"}'), { req: 'GET /a' });
  });

  it('is not parsed if it is long or not JSON', () => {
    assert.equal(parseLine(''), undefined);
    assert.equal(parseLine('level=30 msg=paid'), undefined);
    assert.equal(parseLine(`{"a":"${'x'.repeat(70_000)}"}`), undefined);
  });

  it('yields the fields it was made from', () => {
    const own = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'req', '__proto__']);
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((name) => !own.has(name)),
          fc.jsonValue(),
        ),
        (fields) => {
          const line = JSON.stringify({ level: 30, ...fields, msg: 'said' });
          assert.deepEqual(
            parseLine(line),
            JSON.parse(JSON.stringify({ level: 30, ...fields, msg: 'said' })),
          );
        },
      ),
    );
  });
});
