// Mutates compiled code at random places, one at a time, and reports the mutations that no test notices.
//   npm run mutate -- src/framework/web/cors.ts src/profiler/mcp      places anywhere in these files and folders
//   npm run mutate -- --since=main~3 --count=20 --seed=1 --most=8      in lines changed since; test files per place
//   npm run mutate -- --since=main~3 src/framework/web      in lines of these files or folders changed since
//   npm run mutate -- --covered src/framework/web/cors.ts      tests that run the place, which needs an extra run of the suite
//   npm run mutate -- --coverage=FILE src/framework/web      the same, from coverage that an earlier run stored in FILE
// Prepares the tests first, like `npm run prepare-tests`: a test with missing files would fail for every mutation, and be skipped. Works on
// a copy of the compiled files, in which `lookback` is dist/src instead of the bundle. A place's tests are those beside it, those in its
// folder, those that import its file, and those in test/ whose paths share words with its path; with --covered, all tests that ran the
// place in any of their processes, nearest first.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst } from 'rollup/parseAst';

const root = fileURLToPath(new URL('..', import.meta.url));
const named = (text) => ({ type: 'string', default: text });
const options = {
  since: named(''),
  count: named('20'),
  seed: named('1'),
  most: named('8'),
  covered: { type: 'boolean', default: false },
  coverage: named(''),
};
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--unbundled'], {
  stdio: 'inherit',
});
if (built.status !== 0) process.exit(built.status ?? 1);
const seed = String(values.seed);
const sourceFiles = /^src\/(?!.*\/browser\/).*(?<!\.test|\.d)\.tsx?$/;
const pairs =
  '=== !== | < <= | > >= | && || | every some | max min | push unshift | startsWith endsWith | floor ceil';
const swapped = new Map([['-', '+']]);
for (const [one, other] of pairs.split(' | ').map((pair) => pair.split(' ')))
  swapped.set(one, other).set(other, one);
const dropped = new Set(['trim', 'toLowerCase', 'toUpperCase', 'toReversed', 'toSorted']);
const wanted =
  values.since === ''
    ? positionals.flatMap(filesIn).map((file) => [file])
    : [...changedLines(positionals.length > 0 ? positionals : ['src'])];
const places = wanted.flatMap(([file, lines]) => placesIn(file, lines));
const allTests = ['dist/src', 'dist/test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
);
const copy = mkdtempSync(join(tmpdir(), 'lookback-mutants-'));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
prepareCopy();
const chosen = places.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, Number(values.count));
const covering =
  values.coverage === ''
    ? values.covered
      ? coveringTests(chosen)
      : undefined
    : keptCoverage(values.coverage);
const [sound, broken] = [new Set(), new Set()]; // tests, without a change
let noticed = 0;
for (const place of chosen) {
  const { file, line, from, to, text, what } = place;
  const path = join(copy, compiledOf(file));
  const former = readFileSync(path, 'utf8');
  let test;
  do {
    writeFileSync(path, former.slice(0, from) + text + former.slice(to));
    test = testsOf(file, covering?.get(place)).find((one) => !broken.has(one) && fails(one));
    writeFileSync(path, former);
    if (test !== undefined && !sound.has(test)) (fails(test) && fails(test) ? broken : sound).add(test); // twice: on a busy machine one may fail by chance
  } while (broken.has(test));
  if (test !== undefined) noticed++;
  await new Promise(setImmediate); // signals are handled between two mutations
  console.log(`${test === undefined ? 'NOT NOTICED' : 'noticed'} ${file}:${line} ${what} ${test ?? ''}`);
}
console.log(`${noticed} of ${chosen.length} mutations were noticed, seed ${seed}`);
if (broken.size > 0) console.log(`Skipped, because they fail without a mutation: ${[...broken].join(' ')}`);

/** Links everything except the compiled files; the bundle is omitted. */
function prepareCopy() {
  const linked = readdirSync(root).filter(
    (name) => !['dist', 'src', 'test', 'package.json', '.git'].includes(name),
  );
  for (const name of linked) symlinkSync(join(root, name), join(copy, name), 'junction');
  // Includes sources: a link would lead outside the root, and such files are never shown.
  for (const name of ['src', 'test', 'dist/src', 'dist/test', 'dist/demo'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  mkdirSync(join(copy, 'dist/bundle'));
  // Programs that tests start by path: the command line, and programs recorded without lookback code.
  const entries = { cli: 'cli/main', register: 'register', index: 'index', attach: 'attach' };
  for (const [name, from] of Object.entries(entries))
    writeFileSync(join(copy, `dist/bundle/${name}.js`), `export * from '../src/${from}.js';`);
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  writeFileSync(join(copy, 'package.json'), manifest.replaceAll('dist/bundle/', 'dist/src/'));
}

/** A file, or a folder's sources: no tests, nothing that runs in browsers. */
function filesIn(path) {
  const folder = path.replace(/\/$/, '');
  if (/\.tsx?$/.test(folder)) return [folder];
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => sourceFiles.test(name));
}

/** Lines changed or added since a revision, by file. */
function changedLines(paths) {
  const found = new Map();
  let lines;
  const diff = execFileSync('git', ['diff', '-U0', values.since, '--', ...paths], {
    cwd: root,
    maxBuffer: 1e9,
  });
  for (const row of String(diff).split('\n')) {
    const [, file] = /^\+\+\+ b\/(.*)$/.exec(row) ?? [];
    if (file !== undefined) lines = new Set();
    if (file !== undefined && sourceFiles.test(file)) found.set(file, lines);
    const [, start, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(row) ?? [];
    for (let at = 0; start !== undefined && at < Number(count); at++) lines?.add(Number(start) + at);
  }
  return found;
}

/** Finds the possible mutations in a file's compiled form, in some of its lines or in all. */
function placesIn(file, lines) {
  const code = readFileSync(join(root, compiledOf(file)), 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(join(root, `${compiledOf(file)}.map`), 'utf8')));
  const textOf = ({ start, end }) => code.slice(start, end);
  const found = [];
  const visit = (node) => {
    // Only the keys of option names are read.
    if (typeof node !== 'object' || node === null || node.id?.name?.endsWith('OptionNames')) return;
    const [part, text] = changeOf(node, textOf) ?? [];
    if (part !== undefined) {
      const before = code.slice(0, part.start).split('\n');
      const line = (map.findEntry(before.length - 1, before.at(-1).length).originalLine ?? -2) + 1;
      const what = `${textOf(part)} → ${text}`.replace(/\s+/g, ' ').slice(0, 150);
      if (lines?.has(line) ?? true) found.push({ file, line, from: part.start, to: part.end, text, what });
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(code));
  return found;
}

/** A node with replacement text that changes its meaning; undefined if there is none. */
function changeOf(node, textOf) {
  const { type, left, operator, right, value } = node;
  if (/^(?:Binary|Logical)Expression$/.test(type) && (swapped.has(operator) || operator === '??'))
    return [
      node,
      `(${textOf(left)}${operator === '??' ? '' : ` ${swapped.get(operator)} ${textOf(right)}`})`,
    ];
  if (type === 'UnaryExpression' && operator === '!') return [node, `(${textOf(node.argument)})`];
  if (type === 'IfStatement') return [node.test, `!(${textOf(node.test)})`];
  if (type === 'ExpressionStatement' && node.expression.type === 'CallExpression')
    return node.expression.callee.type === 'Super' ? undefined : [node, ';'];
  if (type === 'Literal' && typeof value === 'boolean') return [node, String(!value)];
  if (type === 'Literal' && typeof value === 'number') return [node, String(value + 1)];
  const { property, object } = (type === 'CallExpression' && node.callee) || {};
  if (swapped.has(property?.name)) return [property, swapped.get(property.name)];
  return dropped.has(property?.name) ? [node, textOf(object)] : undefined;
}

/** Finds the test files that run each place, from V8's coverage of all their processes. */
function coveringTests(asked) {
  const found = new Map(asked.map((place) => [place, []]));
  const folder = join(copy, 'coverage');
  const urlOf = (file) => String(pathToFileURL(realpathSync(join(copy, compiledOf(file)))));
  const urls = new Map(asked.map(({ file }) => [file, urlOf(file)]));
  for (const test of allTests) {
    fails(test, { NODE_V8_COVERAGE: folder });
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const scripts = new Map([...urls.values()].map((url) => [url, []]));
    for (const name of names)
      for (const script of JSON.parse(readFileSync(join(folder, name), 'utf8')).result)
        scripts.get(script.url.split('?')[0])?.push(script);
    rmSync(folder, { recursive: true, force: true });
    for (const [place, tests] of found)
      if (scripts.get(urls.get(place.file)).some((script) => runs(script, place.from))) tests.push(test);
  }
  return found;
}

/**
 * Reads the test files that run each place from a file, which is written first if it does not exist. It identifies places by
 * their mutation; test files newer than it are selected by proximity.
 */
function keptCoverage(path) {
  const keyOf = ({ file, what }) => `${file} ${what}`;
  if (!existsSync(path)) {
    const pairs = [...coveringTests(places)].map(([place, tests]) => [keyOf(place), tests]);
    writeFileSync(path, JSON.stringify(pairs));
  }
  const kept = new Map();
  for (const [key, tests] of JSON.parse(readFileSync(path, 'utf8')))
    kept.set(key, [...(kept.get(key) ?? []), ...tests]);
  const known = new Set([...kept.values()].flat());
  const newerOf = (file) => testsOf(file).filter((test) => !known.has(test));
  const testsOfPlace = (place) => {
    const tests = (kept.get(keyOf(place)) ?? []).filter((test) => allTests.includes(test)); // others were renamed
    // There is no coverage for programs that tests start without the coverage variable, or kill: nearby tests are used.
    return tests.length === 0 ? undefined : [...new Set([...newerOf(place.file), ...tests])];
  };
  return new Map(chosen.map((place) => [place, testsOfPlace(place)]));
}

/** Whether a place in a script was run, according to the innermost of V8's ranges around it. */
function runs({ functions }, at) {
  const around = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset);
  const [innermost] = around.toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
  return innermost !== undefined && innermost.count > 0;
}

/**
 * The test files that belong to a source file or run it, nearest first: its own, then by the number of words that their paths
 * share with its path (words of its name count twice), and by whether they import it, call its exports or are next to it.
 */
function testsOf(file, covered) {
  const name = /([^/]+)\.tsx?$/.exec(file)[1];
  const wordsOf = (text) => new Set(text.split(/[/.-]/).filter((word) => word.length > 2));
  const [words, ownWords] = [wordsOf(file.replace(/^src\/|\.tsx?$/g, '')), wordsOf(name)];
  const exports = readFileSync(join(root, compiledOf(file)), 'utf8').matchAll(
    /^export .*?(?:function|class) (\w+)/gm,
  );
  const exported = [...exports].map(([, one]) => one);
  const nearness = (test) => {
    if (test === compiledOf(file).replace(/\.js$/, '.test.js')) return 1000;
    const code = readFileSync(join(root, test), 'utf8');
    const isImported = code.includes(`/${name}.js'`) || exported.some((one) => code.includes(`${one}(`));
    const isBeside = test.startsWith(compiledOf(file).replace(/[^/]*$/, ''));
    if (/^dist\/src|\/(?:e2e|begin|guard|types|docs)\//.test(test) && !isImported && !isBeside) return 0;
    const shared = [...wordsOf(test.replace(/^dist\/\w+/, ''))].filter((word) => words.has(word));
    return (
      shared.length +
      shared.filter((word) => ownWords.has(word)).length +
      (isImported ? 3 : 0) +
      (isBeside ? 0.5 : 0)
    );
  };
  const near = (covered ?? allTests).map((test) => [test, nearness(test)]);
  const sorted = near
    .filter(([, near]) => covered !== undefined || near > 0)
    .toSorted(([, a], [, b]) => b - a);
  return sorted.map(([test]) => test).slice(0, Number(values.most));
}

function fails(test, variables = {}) {
  const { NODE_TEST_CONTEXT: _context, ...env } = { ...process.env, APP_ENV: 'test', ...variables };
  const run = { cwd: copy, encoding: 'utf8', env, timeout: 120_000, killSignal: 'SIGKILL', maxBuffer: 1e9 };
  const { status, stdout } = spawnSync(process.execPath, ['--test-reporter=tap', test], run);
  return status !== 0 || /^\s*not ok/m.test(stdout);
}

function compiledOf(file) {
  return `dist/${file.replace(/\.tsx?$/, '.js')}`;
}

/** A mutation's position in the random order that belongs to the seed (FNV-1a). */
function rankOf({ file, from, text }) {
  let hash = 2_166_136_261;
  for (const letter of `${seed} ${file} ${from} ${text}`)
    hash = Math.imul(hash ^ letter.codePointAt(0), 16_777_619);
  return (hash ^ (hash >>> 15)) >>> 0;
}
