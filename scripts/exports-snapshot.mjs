// Writes test/snapshots/exports.txt: every name that the package exports, with its kind. A change to it changes what applications
// can rely on, and is reviewed.
//   npm run build && node scripts/exports-snapshot.mjs            write
//   node scripts/exports-snapshot.mjs --print                     print only (the guard test compares)
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('..', import.meta.url);
const { exports: entries } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const lines = [];
for (const [path, { default: file, types: declarations } = {}] of Object.entries(entries)) {
  if (file === undefined) continue;
  const source = declarations.replace(/^\.\/dist\/bundle\/(.*)\.d\.ts$/, 'src/$1.ts');
  lines.push(`lookback${path.slice(1)}`);
  const entry = await import(new URL(file, root).href);
  const values = Object.entries(entry).map(([key, value]) => `${kindOf(value)} ${key}`);
  const types = typesOf(behindEntry(new URL(source, root))).map((key) => `type ${key}`);
  for (const line of [...values, ...types].sort(byName)) lines.push(`  ${line}`);
}
const text = `${lines.join('\n')}\n`;
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(new URL('test/snapshots/exports.txt', root), text);

function kindOf(value) {
  if (typeof value !== 'function') return 'value';
  return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
}

/** The text of a module, or of the module that it re-exports entirely. */
function behindEntry(url) {
  const text = readFileSync(url, 'utf8');
  const target = /^export \* from '(.+)\.js';$/m.exec(text)?.[1];
  return target === undefined ? text : readFileSync(new URL(`${target}.ts`, url), 'utf8');
}

function typesOf(source) {
  const names = (list) =>
    list
      .split(',')
      .map((part) => part.trim().replace(/^.* as /, ''))
      .filter((part) => part !== '');
  return [
    ...[...source.matchAll(/export type \{([^}]*)\}/g)].flatMap((match) => names(match[1])),
    ...[...source.matchAll(/export \{([^}]*)\}/g)].flatMap((match) =>
      match[1]
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part.startsWith('type '))
        .map((part) => part.slice('type '.length).replace(/^.* as /, '')),
    ),
  ];
}

function byName(one, other) {
  const [a, b] = [one, other].map((line) => line.slice(line.indexOf(' ') + 1));
  return a < b ? -1 : a > b ? 1 : 0;
}
