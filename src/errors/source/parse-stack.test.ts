import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseStack } from './parse-stack.js';

const read = (line: string) => parseStack(`Error: x\n    at ${line}`, 'x', 10).frames[0];

describe('parseStack', () => {
  const rows: [line: string, expected: object][] = [
    [
      'load (/a/b.js:1:2)',
      { function: 'load', file: '/a/b.js', line: 1, column: 2, async: false, eval: false },
    ],
    [
      'async load (file:///a/b%20c.js?v=1:1:2)',
      { function: 'load', file: '/a/b c.js', line: 1, column: 2, async: true, eval: false },
    ],
    [
      '/a/b (old)/c.js:3:4',
      { function: '', file: '/a/b (old)/c.js', line: 3, column: 4, async: false, eval: false },
    ],
    [
      'f (/a/b (old)/c.js:3:4)',
      { function: 'f', file: '/a/b (old)/c.js', line: 3, column: 4, async: false, eval: false },
    ],
    [
      'async file:///a/b.js:1:2',
      { function: '', file: '/a/b.js', line: 1, column: 2, async: true, eval: false },
    ],
    [
      'new Foo (C:\\x\\y.js:1:2)',
      { function: 'new Foo', file: 'C:\\x\\y.js', line: 1, column: 2, async: false, eval: false },
    ],
    [
      'Object.<anonymous> (/a.js:1:2)',
      { function: '', file: '/a.js', line: 1, column: 2, async: false, eval: false },
    ],
    [
      'Foo.bar [as baz] (/a.js:1:2)',
      { function: 'Foo.bar', file: '/a.js', line: 1, column: 2, async: false, eval: false },
    ],
    [
      'Array.map (<anonymous>)',
      { function: 'Array.map', file: '', line: 0, column: 0, async: false, eval: false },
    ],
    [
      'async Promise.all (index 0)',
      { function: 'Promise.all', file: '', line: 0, column: 0, async: true, eval: false },
    ],
    [
      'node:internal/main:3:1',
      { function: '', file: 'node:internal/main', line: 3, column: 1, async: false, eval: false },
    ],
    [
      'eval (eval at run (/a.js:5:6), <anonymous>:1:1)',
      { function: 'eval', file: '/a.js', line: 5, column: 6, async: false, eval: true },
    ],
    [
      'wasm (wasm://wasm/0a1b:wasm-function[1]:0x12)',
      {
        function: 'wasm',
        file: 'wasm://wasm/0a1b:wasm-function[1]:0x12',
        line: 0,
        column: 0,
        async: false,
        eval: false,
      },
    ],
  ];
  it('drops the word Object, which V8 puts before functions that are called as members', () => {
    assert.equal(read('Object.load (/a.js:1:2)')?.function, 'load');
    assert.equal(read('async Object.load (/a.js:1:2)')?.function, 'load');
  });

  for (const [line, expected] of rows) it(`reads "at ${line}"`, () => assert.deepEqual(read(line), expected));

  it('does not take lines of the message for calls', () => {
    const message = 'bad\n    at evil (/etc/passwd:1:1)\nend';
    const { frames } = parseStack(`Error: ${message}\n    at real (/a.js:1:2)`, message, 10);
    assert.deepEqual(
      frames.map((frame) => frame.function),
      ['real'],
    );
  });

  it('counts what it leaves out, and reads at most 64 KiB', () => {
    const stack = `Error: x\n${'    at f (/a.js:1:2)\n'.repeat(30)}`;
    assert.equal(parseStack(stack, 'x', 10).frames.length, 10);
    assert.equal(parseStack(stack, 'x', 10).more, 20);
    assert.ok(parseStack(`${'    at f (/a.js:1:2)\n'.repeat(500_000)}`, '', 10).more < 4000);
  });

  it('reads any text without throwing', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (line, message) => {
        const { frames } = parseStack(`Error: ${message}\n    at ${line}\n    at (${line}:1:2)`, message, 10);
        for (const frame of frames)
          assert.ok(Number.isSafeInteger(frame.line) && Number.isSafeInteger(frame.column));
      }),
    );
  });
});
