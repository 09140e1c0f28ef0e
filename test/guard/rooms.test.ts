import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { circlesOf, neighboursOf, sourceFiles } from './source-files.js';

/** Files that a room may hold, tests left out. */
const most = 30;

const files = [...sourceFiles('src')].filter((file) => dirname(file) !== 'src');

/** Rooms of each house as ARCHITECTURE.md lists them. */
const map = new Map(
  [...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^\| `([\w-]+)` \|[^|]*\|([^|]*)\|$/gm)].map(
    ([, house = '', rooms = '']) => [house, [...rooms.matchAll(/`([\w/-]+)`/g)].map(([, room = '']) => room)],
  ),
);

describe('rooms', () => {
  it(`a room holds at most ${most} files`, () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    for (const [room, count] of counts)
      assert.ok(count <= most, `${room} holds ${count} files; at most ${most}`);
  });

  it('no two rooms of a house import each other, directly or over others', () => {
    const graph = new Map<string, Set<string>>();
    for (const file of files) {
      const targets = graph.get(dirname(file)) ?? new Set();
      graph.set(dirname(file), targets);
      for (const target of neighboursOf(file))
        if (dirname(target) !== dirname(file)) targets.add(dirname(target));
    }
    assert.deepEqual(circlesOf(graph), [], 'these rooms import one another');
  });

  it('every house and room stands in the map of ARCHITECTURE.md, and nothing else does', () => {
    const folders = new Map<string, Set<string>>();
    for (const file of sourceFiles('src')) {
      const [house = '', ...rooms] = relative('src', file)
        .replace(/^([\w-]+)\.ts$/, '$1/')
        .split('/')
        .slice(0, -1);
      const known = folders.get(house) ?? new Set();
      folders.set(house, known);
      for (const end of rooms.keys()) known.add(rooms.slice(0, end + 1).join('/'));
    }
    for (const house of folders.keys()) assert.ok(map.has(house), `${house} is missing`);
    for (const [house, rooms] of map)
      assert.deepEqual(
        [...rooms].sort(),
        [...(folders.get(house) ?? [])].filter((room) => !room.endsWith('/browser')).sort(),
        `the rooms of ${house}`,
      );
  });

  it('the rooms of http, routing and the profiler import only rooms that stand before them in the map', () => {
    for (const house of ['http', 'routing', 'profiler']) {
      const order = (map.get(house) ?? []).filter((room) => !room.includes('/'));
      const rankOf = (file: string): number => order.indexOf(file.split('/')[2] ?? '');
      for (const file of files.filter((path) => path.startsWith(`src/${house}/`) && rankOf(path) !== -1))
        for (const target of neighboursOf(file).filter((path) => path.startsWith(`src/${house}/`)))
          assert.ok(rankOf(target) <= rankOf(file), `${file} imports ${target}`);
    }
  });

  it('no shared code of the profiler knows a collector by its name', () => {
    const own = /^src\/profiler\/(?:collectors|findings|panels|pages)\//; // rooms that are about what collectors found
    const shared = files.filter((path) => path.startsWith('src/profiler/') && !own.test(path));
    const knowing = shared.filter((file) =>
      /'(?:budget|cache|db|dump|jobs|mail|render|security|translation)'/.test(readFileSync(file, 'utf8')),
    );
    // A row names the place of its slowest query, which no number of a collector can say.
    assert.deepEqual(knowing, ['src/profiler/model/profile-summary.ts']);
  });

  it('no two files of the demo import each other, directly or over others', () => {
    const graph = new Map([...sourceFiles('demo')].map((file) => [file, new Set(neighboursOf(file))]));
    assert.deepEqual(circlesOf(graph), []);
  });
});

describe('unit tests', () => {
  it('bear the name of the source file next to them', () => {
    const sources = new Set(sourceFiles('src'));
    const tests = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.tsx?$/.test(name))
      .map((name) => join('src', name).replaceAll('\\', '/'));
    assert.ok(tests.length > 100);
    const alone = tests.filter((file) => {
      const stem = file.replace(/\.test\.tsx?$/, '');
      return !sources.has(`${stem}.ts`) && !sources.has(`${stem}.tsx`);
    });
    assert.deepEqual(alone, [], 'what tests more than one file stands under test/');
  });
});

/** Names that two houses export for what is one thing. */
const shared = new Map([
  [
    'Route',
    'the decorator declares on a method what the type describes: one word, as in the docs of routing',
  ],
]);

describe('names', () => {
  it('no two houses export one name for two things', () => {
    const houses = new Map<string, Set<string>>();
    for (const file of files)
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
        /^export (?:async |abstract )*(?:const|function\*?|class|interface|type) (\w+)/gm,
      ))
        houses.set(name, (houses.get(name) ?? new Set()).add(file.split('/')[1] ?? ''));
    const twice = [...houses].filter(([name, of]) => of.size > 1 && !shared.has(name));
    assert.deepEqual(
      twice.map(([name, of]) => `${name}: ${[...of].join(', ')}`),
      [],
    );
  });
});
