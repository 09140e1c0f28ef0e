import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { parseStack, describeLocation, ownSourceFolders, type StackFrame } from './parse-stack.js';
import { join, resolve } from 'node:path';

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
  it('drops the word Object, which V8 puts before functions called as members', () => {
    assert.equal(read('Object.load (/a.js:1:2)')?.function, 'load');
    assert.equal(read('async Object.load (/a.js:1:2)')?.function, 'load');
  });

  for (const [line, expected] of rows) it(`reads "at ${line}"`, () => assert.deepEqual(read(line), expected));

  it('resolves a file name relative to the working directory, if the file exists', () => {
    const file = 'src/core/errors/source/parse-stack.ts';
    assert.deepEqual(read(`load (${file}:4:2)`), {
      ...read('load (/a.js:4:2)'),
      file: resolve(file),
    });
    for (const location of [
      'src/none.ts:1:2',
      'evalmachine.<anonymous>:1:2',
      'src:1:2',
      'REPL1:1:2',
      'native',
    ])
      assert.equal(read(`load (${location})`)?.file, '', location);
  });

  it('does not mistake message lines for calls', () => {
    const message = 'bad\n    at evil (/etc/passwd:1:1)\nend';
    const { frames } = parseStack(`Error: ${message}\n    at real (/a.js:1:2)`, message, 10);
    assert.deepEqual(
      frames.map((frame) => frame.function),
      ['real'],
    );
  });

  it('counts omitted frames, and reads at most 64 KiB', () => {
    const stack = `Error: x\n${'    at f (/a.js:1:2)\n'.repeat(30)}`;
    assert.equal(parseStack(stack, 'x', 10).frames.length, 10);
    assert.equal(parseStack(stack, 'x', 10).more, 20);
    assert.ok(parseStack(`${'    at f (/a.js:1:2)\n'.repeat(500_000)}`, '', 10).more < 4000);
  });

  it('parses any text without throwing', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (line, message) => {
        const { frames } = parseStack(`Error: ${message}\n    at ${line}\n    at (${line}:1:2)`, message, 10);
        for (const frame of frames)
          assert.ok(Number.isSafeInteger(frame.line) && Number.isSafeInteger(frame.column));
      }),
    );
  });
});

const frame = (file: string, more: Partial<StackFrame> = {}): StackFrame => ({
  function: 'run',
  file,
  line: 1,
  column: 1,
  async: false,
  eval: false,
  ...more,
});
const locationOf = (file: string, more?: Partial<StackFrame>): string => {
  const { kind, file: shown, library = '' } = describeLocation(frame(file, more), '/app', ['/opt/lookback/']);
  return [kind, library, shown].filter((part) => part !== '').join(' ');
};

describe("a frame's owner", () => {
  it('is the application unless the file is installed: workspace packages may be elsewhere', () => {
    assert.equal(locationOf('/app/src/home.ts'), 'app src/home.ts');
    assert.equal(locationOf('/app/..hidden/a.ts'), 'app ..hidden/a.ts');
    assert.equal(locationOf('/application/a.ts'), 'app /application/a.ts');
    assert.equal(locationOf('/a.ts'), 'app /a.ts');
    assert.equal(locationOf('/usr/share/nodejs/depd/index.js'), 'library depd depd/index.js');
  });

  it('is a package if the file is installed, named with its scope', () => {
    assert.equal(locationOf('/app/node_modules/pg/lib/client.js'), 'library pg pg/lib/client.js');
    assert.equal(locationOf('/app/node_modules/@a/b/c.js'), 'library @a/b @a/b/c.js');
    assert.equal(locationOf('/app/node_modules/a/node_modules/b/c.js'), 'library b b/c.js');
    assert.equal(locationOf('/opt/lookback/http.js'), 'library lookback lookback/http.js');
    assert.equal(locationOf('C:\\app\\node_modules\\@a\\b\\c.js'), 'library @a/b @a/b/c.js');
  });

  it('is Node, native code or an eval', () => {
    assert.equal(locationOf('node:internal/process'), 'node node:internal/process');
    assert.equal(locationOf(''), 'native');
    assert.equal(locationOf('', { eval: true }), 'eval');
    assert.equal(locationOf('/app/src/a.ts', { eval: true }), 'eval src/a.ts');
    assert.equal(locationOf('https://a.test/x.js'), 'native https://a.test/x.js');
  });

  it('has a kind and a bounded name for any stack line', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 500 }), (line) => {
        for (const one of parseStack(`Error\n    at ${line}`, '', 5).frames) {
          const { kind, file } = describeLocation(one, '/app', []);
          assert.ok(['app', 'library', 'node', 'eval', 'native'].includes(kind));
          assert.ok(file.length <= one.file.length + 3 * 500);
        }
      }),
    );
  });

  it('is this package for its source, its compiled files and its bundle', () => {
    assert.deepEqual(
      ownSourceFolders,
      ['src', 'dist/src', 'dist/bundle'].map((folder) => join(process.cwd(), folder, '/')),
    );
  });
});
