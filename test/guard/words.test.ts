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
  [/\b(?:some|any|every|no)body\b(?!-)/gi, 'someone, anyone, everyone, no one, a user'],
  [/\basked (?:for|of)\b(?!-)/gi, 'requested, required, called, read'],
  [/\bonce more\b/gi, 'again'],
  [/\bof today\b/gi, 'current'],
  [/\bsays? of (?:it|them)sel(?:f|ves)\b/gi, 'describes, reports'],
  [/\bunless said\b|\bsaid otherwise\b/gi, 'by default'],
  [/\bput(?:s|ting)? aside\b/gi, 'set aside'],
  [/\bof one's own\b/gi, 'custom'],
  [/\bmend(?:s|ed|ing)?\b/gi, 'fix'],
];

/** Words that pages for readers avoid in addition. */
const pageWords: typeof words = [
  [/(?<!-)\bwhomever\b(?!-)/gi, 'who'],
  [/\bsome [0-9]/gi, 'about'],
  [/\b(?:an?|the) \w+ that is none\b|\bis no [a-z]+\./gi, 'is not a'],
  [/\b(?:lets|let) [a-z]+ go\b/gi, 'releases'],
  [/\bin (?:its|their|the) place of\b/gi, 'instead of'],
];

const places = [
  'src',
  'docs',
  'demo',
  'examples',
  'templates',
  'scripts',
  'decisions',
  'AGENTS.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
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
    it(`say ${better} where ${said.source.slice(0, 20)}… was said`, () =>
      assert.deepEqual(find(said, files), []));
  }
});

describe('pages', () => {
  const pages = files.filter((file) => file.endsWith('.md'));
  for (const [said, better] of pageWords) {
    it(`say ${better} where ${said.source.slice(0, 20)}… was said`, () =>
      assert.deepEqual(find(said, pages), []));
  }
});

const titleStart = /\b(?:it|test|describe|check)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

describe('titles of tests', () => {
  const titles = ['src', 'test']
    .flatMap((place) =>
      readdirSync(place, { recursive: true, encoding: 'utf8' })
        .filter((name) => (place === 'test' ? /\.tsx?$/ : /\.test\.tsx?$/).test(name))
        .map((name) => join(place, name)),
    )
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(titleStart)].map(([, , title = '']) => `${file}: ${title}`),
    );

  it('the titles of tests are found', () => assert.ok(titles.length > 2000));
  for (const [said, better] of words) {
    it(`say ${better} where ${said.source.slice(0, 20)}… was said`, () =>
      assert.deepEqual(
        titles.filter((title) => title.slice(title.indexOf(': ')).match(said)),
        [],
      ));
  }
});

/** The lines of the files that hold the word, with their places. */
function find(said: RegExp, among: readonly string[]): string[] {
  return among.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        line
          .replace(/^\s*\| .*/, '')
          .replace(/\]\([^)]*\)/g, '')
          .match(said)
          ? [`${file}:${at + 1} ${line.trim()}`]
          : [],
      ),
  );
}
