import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseLine } from './logger-output.js';

describe('a line of pino', () => {
  it('is read without the time and the process', () => {
    const line = '{"level":30,"time":1,"pid":2,"hostname":"h","part":"shop","msg":"paid"}\n';
    assert.deepEqual(parseLine(line), { level: 30, part: 'shop', msg: 'paid' });
  });

  it('has of a request what distinguishes it from others', () => {
    const line = '{"req":{"id":7,"method":"GET","url":"/a","headers":{"cookie":"sid=1"}}}\n';
    assert.deepEqual(parseLine(line), { req: { id: 7, method: 'GET', url: '/a' } });
    assert.deepEqual(parseLine('{"req":{"method":"GET","url":"/a"}}'), { req: { method: 'GET', url: '/a' } });
    assert.deepEqual(parseLine('{"req":"GET /a"}'), { req: 'GET /a' });
  });

  it('is not read where it is no JSON, or long', () => {
    assert.equal(parseLine(''), undefined);
    assert.equal(parseLine('level=30 msg=paid'), undefined);
    assert.equal(parseLine(`{"a":"${'x'.repeat(70_000)}"}`), undefined);
  });

  it('gives back whatever fields it was made of', () => {
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
