import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseHost } from './parse-host.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'[]:.,;="\\ /%@a1f*'.split('')), maxLength: 40 }),
);

describe('Host', () => {
  it('never throws, and what it gives names itself again', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.domain(), fc.webAuthority()), (text) => {
        const parsed = parseHost(text);
        if (parsed === undefined) return;
        assert.match(parsed.host, /^(?:[a-z0-9_][a-z0-9_.-]*|\[[0-9a-f:.]+\])$/);
        assert.deepEqual(parseHost(parsed.host), { host: parsed.host, port: undefined });
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with the URL parser on the host of what it takes', () => {
    fc.assert(
      fc.property(fc.domain(), fc.integer({ min: 1, max: 65_535 }), (name, port) => {
        const parsed = parseHost(`${name}:${port}`);
        const url = new URL(`http://${name}:${port}/`);
        assert.deepEqual(parsed, { host: url.hostname, port });
      }),
    );
  });
});
