import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

interface Manifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const { version, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest; // ours
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

describe('what is said about the installation', () => {
  it('no page runs npx with a name that nobody owns', () => {
    for (const page of pages) assert.doesNotMatch(readFileSync(page, 'utf8'), /npx lookback new/, page);
  });

  it('the first pages say that the package is on no registry, and lead to the way that works', () => {
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

  it('the file of the package is named with its version', () => {
    for (const page of pages)
      for (const [name] of readFileSync(page, 'utf8').matchAll(/lookback-\d[\w.]*\.tgz/g))
        assert.equal(name, `lookback-${version}.tgz`, page);
  });

  it('the package that Node 20 needs for records is installed in the version that is tested', () => {
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
