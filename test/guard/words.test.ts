import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

/** Words that programs are not spoken of with, and what to say in their place. */
const words: readonly [said: RegExp, better: string][] = [
  [/\b(?:un)?told\b(?! apart)|[a-z]Told(?![a-z])|\btold[A-Z]/g, 'notified, reported, passed'],
  [/\btell(?:s|ing)?\b(?! apart)|[a-z]Tell(?![a-z])|\btell[A-Z]/g, 'report, publish, show, distinguish'],
  [/\bhear(?:s|d)?\b|[a-z]Heard(?![a-z])|\bheard[A-Z]/g, 'listens, subscribes'],
  [/\bkeepers?\b|[a-z]Keeper(?![a-z])|\bkeeper[A-Z]/g, 'store, writer'],
  [/\blets? go of\b/g, 'releases'],
  [/\bof chance\b/g, 'random'],
];

const places = [
  'src',
  'docs',
  'demo',
  'templates',
  'scripts',
  'decisions/README.md',
  'README.md',
  'ARCHITECTURE.md',
];
const files = places.flatMap((place) =>
  place.endsWith('.md')
    ? [place]
    : readdirSync(place, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:tsx?|mjs|md)$/.test(name) && !/\.test\.tsx?$/.test(name))
        .map((name) => join(place, name)),
);

describe('names, messages and docs', () => {
  for (const [said, better] of words) {
    it(`say ${better} where ${said.source.slice(0, 20)}… was said`, () => {
      const found = files.flatMap((file) =>
        readFileSync(file, 'utf8')
          .split('\n')
          .flatMap((line, at) =>
            line.replace(/^\s*\| .*/, '').match(said) ? [`${file}:${at + 1} ${line.trim()}`] : [],
          ),
      );
      assert.deepEqual(found, []);
    });
  }
});
