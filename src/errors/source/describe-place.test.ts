import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { describePlace, ownSourceFolders } from './describe-place.js';
import { parseStack, type StackFrame } from './parse-stack.js';

const frame = (file: string, more: Partial<StackFrame> = {}): StackFrame => ({
  function: 'run',
  file,
  line: 1,
  column: 1,
  async: false,
  eval: false,
  ...more,
});
const placeOf = (file: string, more?: Partial<StackFrame>): string => {
  const { kind, file: shown, library = '' } = describePlace(frame(file, more), '/app', ['/opt/lookback/']);
  return [kind, library, shown].filter((part) => part !== '').join(' ');
};

describe('whose a frame is', () => {
  it('is the application’s below its folder, and a library’s elsewhere', () => {
    assert.equal(placeOf('/app/src/home.ts'), 'app src/home.ts');
    assert.equal(placeOf('/app/..hidden/a.ts'), 'app ..hidden/a.ts');
    assert.equal(placeOf('/application/a.ts'), 'library /application/a.ts');
    assert.equal(placeOf('/a.ts'), 'library /a.ts');
    assert.equal(placeOf('/app'), 'library /app');
  });

  it('is a package’s wherever that is installed, named with its scope', () => {
    assert.equal(placeOf('/app/node_modules/pg/lib/client.js'), 'library pg pg/lib/client.js');
    assert.equal(placeOf('/app/node_modules/@a/b/c.js'), 'library @a/b @a/b/c.js');
    assert.equal(placeOf('/app/node_modules/a/node_modules/b/c.js'), 'library b b/c.js');
    assert.equal(placeOf('/opt/lookback/http.js'), 'library lookback lookback/http.js');
    assert.equal(placeOf('C:\\app\\node_modules\\@a\\b\\c.js'), 'library @a/b @a/b/c.js');
  });

  it('is Node’s, native, or of an eval', () => {
    assert.equal(placeOf('node:internal/process'), 'node node:internal/process');
    assert.equal(placeOf(''), 'native');
    assert.equal(placeOf('', { eval: true }), 'eval');
    assert.equal(placeOf('/app/src/a.ts', { eval: true }), 'eval src/a.ts');
    assert.equal(placeOf('https://a.test/x.js'), 'native https://a.test/x.js');
  });

  it('has a kind and a bounded name for any line of a stack', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 500 }), (line) => {
        for (const one of parseStack(`Error\n    at ${line}`, '', 5).frames) {
          const { kind, file } = describePlace(one, '/app', []);
          assert.ok(['app', 'library', 'node', 'eval', 'native'].includes(kind));
          assert.ok(file.length <= one.file.length + 3 * 500);
        }
      }),
    );
  });

  it('is this package’s own for its source, what it was compiled to, and its bundle', () => {
    assert.equal(ownSourceFolders.length, 3);
    for (const folder of ownSourceFolders) assert.ok(folder.startsWith(process.cwd()), folder);
    assert.ok(ownSourceFolders.includes(join(process.cwd(), 'src', '/')));
  });
});
