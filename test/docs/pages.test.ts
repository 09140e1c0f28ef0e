import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { blocksOf } from './write-programs.js';

const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.md'));
const files = [
  ...pages.map((name) => `docs/${name}`),
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'AGENTS.md',
  'CHANGELOG.md',
];

/** The text of a page without its programs and inline code, which contain no links. */
function readProse(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]]/g, ' '));
}

/** A page's anchors, as GitHub and the site create them from its headings. */
function anchorsOf(file: string): ReadonlySet<string> {
  const headings = readProse(file).matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('links on the pages', () => {
  for (const file of files)
    it(`${file}: every link leads to an existing file and heading`, () => {
      const broken: string[] = [];
      for (const [, target = ''] of readProse(file).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^(?:https?|mailto):/.test(target)) continue;
        const [path = '', anchor] = target.split('#');
        const found = path === '' ? file : relative('.', join(dirname(file), path));
        if (!existsSync(found)) broken.push(target);
        else if (anchor !== undefined && !anchorsOf(found).has(anchor)) broken.push(target);
      }
      assert.deepEqual(broken, []);
    });

  it('a page in docs/ links only to what the package or the site contains', () => {
    const outside = pages.flatMap((name) =>
      [...readProse(`docs/${name}`).matchAll(/\]\(([^)#\s:]+)/g)]
        .map(([, target = '']) => relative('.', join('docs', dirname(name), target)))
        .filter((file) => !file.startsWith('docs/') && file !== 'SECURITY.md')
        .map((file) => `${name}: ${file}`),
    );
    assert.deepEqual(outside, []);
  });
});

describe('programs on the pages', () => {
  const tests = readdirSync('test/docs')
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(`test/docs/${name}`, 'utf8'))
    .join('\n');

  it('are all compiled and run by a test', () => {
    const withPrograms = pages.filter((name) => blocksOf(`docs/${name}`).length > 0);
    assert.ok(withPrograms.length >= 20, String(withPrograms.length));
    assert.deepEqual(
      withPrograms.filter((name) => !tests.includes(`'docs/${name}'`)),
      [],
    );
  });
});

describe('the site', () => {
  const menu = readFileSync('site/.vitepress/config.mjs', 'utf8');

  it('the menu of the docs has every page', () => {
    const missing = pages
      .map((name) => name.slice(0, -'.md'.length))
      .filter((name) => name !== 'index' && !menu.includes(`, '${name}')`));
    assert.deepEqual(missing, []);
  });

  it('has a page for every entry of its menu', () => {
    const entries = [...menu.matchAll(/page\('[^']*', '([\w-]+(?:\/[\w-]+)?)'\)/g)].map(
      ([, name]) => name ?? '',
    );
    const built = new Set(['changelog', 'security-policy']);
    assert.ok(entries.length >= 30);
    assert.deepEqual(
      entries.filter((name) => !built.has(name) && !existsSync(`docs/${name}.md`)),
      [],
    );
  });
});
