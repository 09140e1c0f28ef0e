import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

interface Manifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const { version, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest; // we wrote the file
const below = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...below('docs', '.md'),
  ...below('templates', '.md'),
];

describe('the installation instructions', () => {
  it('never run npx with an unowned name', () => {
    for (const page of pages) assert.doesNotMatch(readFileSync(page, 'utf8'), /npx lookback new/, page);
  });

  it('say on the first pages that the package is not on the registry, and link to instructions that work', () => {
    for (const page of [
      'README.md',
      'docs/index.md',
      'docs/start/tutorial.md',
      'docs/start/installation.md',
      'templates/common/README.md',
    ])
      assert.match(readFileSync(page, 'utf8'), /not on the npm registry yet/, page);
    for (const page of ['README.md', 'docs/index.md', 'docs/start/tutorial.md'])
      assert.match(readFileSync(page, 'utf8'), /\(\S*installation\.md\)/, page);
  });

  it('name the package file with its version', () => {
    const named = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/lookback-\d[\w.]*\.tgz/g)].map(([name]) => [page, name]),
    );
    assert.ok(named.length > 0);
    for (const [page, name] of named) assert.equal(name, `lookback-${version}.tgz`, page);
  });

  it('install the tested version of the package that Node 20 needs for records', () => {
    let count = 0;
    for (const file of [...pages, ...below('src', '.ts')])
      for (const [, installed] of readFileSync(file, 'utf8').matchAll(
        /npm install [^\n"`]*@photostructure\/sqlite(\S*?)(?=["`\s])/g,
      )) {
        assert.equal(installed, `@${devDependencies['@photostructure/sqlite']}`, file);
        count++;
      }
    assert.ok(count >= 5, String(count));
  });
});
