// Builds the documentation site to site/dist: the pages in docs/, an API reference from the docstrings, a local search.
//   npm run docs                  build; the first time installs the site's tools (site/package-lock.json)
//   npm run docs -- --serve      build, then serve it on this machine
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const pages = 'site/.pages';
const root = { 'CHANGELOG.md': 'changelog.md', 'SECURITY.md': 'security-policy.md' };

if (!existsSync('site/node_modules'))
  run('npm', ['ci', '--prefix', 'site', '--ignore-scripts', '--no-fund', '--no-audit']);
rmSync(pages, { recursive: true, force: true });
mkdirSync(pages, { recursive: true });
cpSync('docs', pages, { recursive: true });
for (const name of readdirSync(pages, { recursive: true, encoding: 'utf8' })) {
  const file = join(pages, name);
  if (name.endsWith('.md')) writeFileSync(file, withLinks(readFileSync(file, 'utf8')));
}
for (const [from, to] of Object.entries(root))
  writeFileSync(join(pages, to), withLinks(readFileSync(from, 'utf8').replaceAll('](docs/', '](')));
writeReference();
tool('vitepress', ['build', 'site']);
console.log('The site is in site/dist: any server of static files can serve it.');
if (process.argv.includes('--serve')) tool('vitepress', ['preview', 'site']);

/** Pages from the repository's root have other names on the site. */
function withLinks(text) {
  return Object.entries(root).reduce(
    (all, [from, to]) => all.replaceAll(new RegExp(`\\]\\(((?:\\.\\./)*)\\.\\./${from}`, 'g'), `]($1${to}`),
    text,
  );
}

/** The API reference: one page per package entry. */
function writeReference() {
  const { exports: entries } = JSON.parse(readFileSync('package.json', 'utf8'));
  const sources = new Map();
  for (const [entry, { types } = {}] of Object.entries(entries)) {
    const source = types?.replace(/^\.\/dist\/(.*)\.d\.ts$/, '$1.ts');
    if (source !== undefined && !sources.has(source) && existsSync(source))
      sources.set(source, `lookback${entry.slice(1)}`);
  }
  const api = join(pages, 'api');
  tool('typedoc', [
    '--options',
    'site/typedoc.json',
    '--out',
    api,
    ...[...sources.keys()].flatMap((file) => ['--entryPoints', file]),
  ]);
  rmSync(join(api, 'modules.md'));
  const names = new Map(
    [...sources].map(([source, name]) => [source.slice('src/'.length, -'.ts'.length), name]),
  );
  const found = [];
  for (const [module, name] of names) {
    const file = join(api, `${module}.md`);
    if (!existsSync(file)) continue;
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^# .*$/m, `# ${name}`));
    found.push({ text: name, link: `/api/${module === 'index' ? '' : module}` });
  }
  writeFileSync(join(api, 'pages.mjs'), `export const apiPages = ${JSON.stringify(found, null, 2)};\n`);
}

function tool(name, words) {
  run(process.execPath, [
    join(
      'site/node_modules',
      { vitepress: 'vitepress/bin/vitepress.js', typedoc: 'typedoc/bin/typedoc' }[name],
    ),
    ...words,
  ]);
}

function run(command, words) {
  const { status } = spawnSync(command, words, {
    stdio: 'inherit',
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (status !== 0) process.exit(status ?? 1);
}
