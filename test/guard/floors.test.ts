import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';

const root = process.cwd();
const plan = JSON.parse(readFileSync('floors.json', 'utf8')) as { floors: string[][]; subdoors: string[] };
const floorOf = new Map(
  plan.floors.flatMap((houses, floor) => houses.map((house) => [house, floor] as const)),
);

function* sources(folder: string): Generator<string> {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* sources(path);
    else if (/\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name)) yield path;
  }
}

function houseOf(file: string): string {
  const first = relative('src', file).split('/')[0] ?? '';
  return first.replace(/\.tsx?$/, '');
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

const files = [...sources('src')];

describe('floors', () => {
  it('every house has a floor and a door', () => {
    for (const file of files) {
      const house = houseOf(file);
      assert.ok(floorOf.has(house), `${file}: the house "${house}" has no floor in floors.json`);
      assert.ok(existsSync(`src/${house}.ts`), `${file}: the house "${house}" has no door src/${house}.ts`);
    }
  });

  it('src holds the doors of the houses and nothing else', () => {
    // More than the 20 files of a room: the doors are the public map, and tools follow `#house` to them.
    const doors = files.filter((file) => dirname(file) === 'src').map((file) => relative('src', file));
    assert.deepEqual(doors.sort(), [...floorOf.keys()].map((house) => `${house}.ts`).sort());
    for (const door of doors)
      assert.doesNotMatch(
        readFileSync(join('src', door), 'utf8').replaceAll(/\/\*[^]*?\*\//g, ''),
        /^(?!export (?:type )?\{|import |\} from|\s|\}|$)/m,
        `${door} holds more than exports`,
      );
  });

  it('houses import only lower floors, by their doors, and relative imports stay inside', () => {
    for (const file of files) {
      const house = houseOf(file);
      for (const target of importsOf(file)) {
        if (target.startsWith('.')) {
          const path = relative('src', resolve(dirname(file), target)).replace(/\.js$/, '');
          const inside = path === house || path.startsWith(`${house}/`);
          assert.ok(inside, `${file} reaches out of its house: ${target}`);
        }
        if (!target.startsWith('#')) continue;
        const door = target.slice(1);
        const other = door.split('/')[0] ?? '';
        assert.ok(door === other || plan.subdoors.includes(door), `${file}: ${target} is not a door`);
        assert.ok(other !== house, `${file} enters its own house by the door: ${target}`);
        const [from, to] = [floorOf.get(house) ?? -1, floorOf.get(other) ?? 99];
        assert.ok(to < from, `${file} (floor ${from}) imports ${target} (floor ${to})`);
      }
    }
  });

  it('no two files import each other, directly or over others', () => {
    const graph = new Map(
      files.map((file) => {
        const targets = importsOf(file)
          .filter((target) => target.startsWith('.') || target.startsWith('#'))
          .map((target) =>
            target.startsWith('#')
              ? resolve('src', target.slice(1))
              : resolve(dirname(file), target.replace(/\.js$/, '')),
          )
          .map((stem) =>
            ['.ts', '.tsx'].map((ending) => relative(root, stem + ending)).find((path) => existsSync(path)),
          )
          .filter((path) => path !== undefined);
        return [file, targets] as const;
      }),
    );
    const done = new Set<string>();
    const visit = (file: string, trail: string[]): void => {
      assert.ok(!trail.includes(file), `circle: ${[...trail.slice(trail.indexOf(file)), file].join(' -> ')}`);
      if (done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
  });

  it('the lint configuration is made from floors.json', () => {
    const printed = execFileSync(process.execPath, ['scripts/lint-config.mjs', '--print'], {
      encoding: 'utf8',
    });
    assert.deepEqual(JSON.parse(readFileSync('.oxlintrc.json', 'utf8')), JSON.parse(printed));
  });
});

describe('sizes and words', () => {
  it('files hold at most 600 lines, doors at most 80', () => {
    for (const file of files) {
      const lines = readFileSync(file, 'utf8').split('\n').length - 1;
      assert.ok(lines <= 800, `${file} has ${lines} lines`);
      const isDoor = !relative('src', file).includes('/');
      if (isDoor) assert.ok(lines <= 80, `the door ${file} has ${lines} lines`);
    }
  });

  it('no any, no cast through unknown, no file named for nothing', () => {
    for (const file of files) {
      const text = readFileSync(file, 'utf8').replace(
        /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g,
        '',
      );
      assert.doesNotMatch(text, /(:|<|\bas) any\b|as unknown as/, `${file} holds any`);
      if (file !== 'src/index.ts')
        assert.doesNotMatch(file, /(^|\/)(utils?|helpers?|common|misc|manager|types|index)\.tsx?$/);
    }
  });

  it('foreign objects are shown by the dump house only, not by inspect of Node', () => {
    for (const file of files)
      assert.doesNotMatch(readFileSync(file, 'utf8'), /\binspect\b[^\n]*from 'node:util'/, file);
  });

  it('kernel, routing, security, locale and persistence hold no line about profiling', () => {
    for (const file of files.filter((path) =>
      /^src\/(?:kernel|routing|security|locale|persistence)\b/.test(path),
    ))
      assert.doesNotMatch(readFileSync(file, 'utf8'), /profil(?:er|ing)/i, file);
  });
});
