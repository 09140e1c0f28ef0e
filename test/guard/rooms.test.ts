import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { circlesOf, neighboursOf, sourceFiles } from './source-files.js';

/** Files that a room may hold, tests left out. */
const most = 20;

const files = [...sourceFiles('src')].filter((file) => dirname(file) !== 'src');

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

  it('the rooms of the profiler import only rooms before them', () => {
    const order =
      'model words query pack form redact watch find store taps collectors findings panels api web archive'.split(
        ' ',
      );
    const roomOf = (file: string): string => file.split('/')[2] ?? '';
    for (const file of files.filter((path) => /^src\/profiler\/\w+\//.test(path))) {
      const own = order.indexOf(roomOf(file));
      assert.notEqual(own, -1, `${file} is in a room without a place in the order`);
      for (const target of neighboursOf(file).filter((path) => path.startsWith('src/profiler/')))
        assert.ok(order.indexOf(roomOf(target)) <= own, `${file} imports ${target}`);
    }
  });

  it('no shared code of the profiler knows a collector by its name', () => {
    const shared = /^src\/profiler\/(?:model|query|pack|form|redact|watch|find|store|taps|api)\//;
    for (const file of files.filter((path) => shared.test(path)))
      assert.doesNotMatch(readFileSync(file, 'utf8'), /'(?:db|security|translation)'/, file);
  });

  it('no two files of the demo import each other, directly or over others', () => {
    const graph = new Map([...sourceFiles('demo')].map((file) => [file, new Set(neighboursOf(file))]));
    assert.deepEqual(circlesOf(graph), []);
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
