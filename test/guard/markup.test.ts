import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const files = ['src', 'demo'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
);
const outside = files.filter((file) => !file.startsWith(join('src', 'core', 'html')));

/** Ways in which text could become markup without being escaped. */
const ways: [name: string, pattern: RegExp][] = [
  ['raw markup in JSX', /dangerouslySetInnerHTML|innerHTML\s*[=:]|jsxTemplate/],
  ['its own rendering', /from 'preact-render-to-string'|from 'preact\/jsx-runtime'/],
  [
    'markup put together as a string',
    /['"`]\s*<(?:!doctype|\/?(?:html|head|body|div|span|p|a|b|i|h[1-6]|ul|ol|li|table|tr|td|th|pre|code|script|style|form|input|img|svg))[\s>]/i,
  ],
  ['trust in foreign text', /trustedHtml\((?!['"`])/],
];

describe('text becomes markup only in core/html', () => {
  it('files are found, and core/html itself renders', () => {
    assert.ok(outside.length > 300, String(outside.length));
    assert.ok(outside.some((name) => name.endsWith('.tsx')));
    const own = files.filter((file) => !outside.includes(file)).map((file) => readFileSync(file, 'utf8'));
    assert.match(own.join('\n'), ways[1]?.[1] ?? /never/);
  });
  for (const [name, pattern] of ways) {
    it(`no file outside has ${name}`, () => {
      for (const file of outside) {
        // A template tagged `html` is escaped; the text after the tag is not a string.
        const code = readFileSync(file, 'utf8')
          .replaceAll(/\bhtml`/g, 'html(')
          .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
        assert.doesNotMatch(code, pattern, file);
      }
    });
  }

  it('our own pages contain no inline handler, no inline style and no external URL', () => {
    for (const file of outside.filter((name) => name.endsWith('.tsx'))) {
      const code = readFileSync(file, 'utf8');
      assert.doesNotMatch(code, /\son[A-Z][a-z]+=|\sstyle=|(?:href|src)="(?:https?:)?\/\//, file);
    }
  });
});
