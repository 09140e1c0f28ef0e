import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor, type Redactor } from '#core/dump';
import { cleanLocation } from './define-section.js';

const redactor = createRedactor();

describe('names of files and functions', () => {
  const counting = (): { looked: string[]; words: { take: (text: string) => string } } => {
    const looked: string[] = [];
    const text = (given: string): string => {
      looked.push(given);
      return redactor.text(given);
    };
    const watched: Redactor = { ...redactor, text };
    return { looked, words: { take: (given) => cleanLocation(given, watched) } };
  };

  it('are searched once if they contain no secret', () => {
    const { looked, words } = counting();
    for (let time = 0; time < 3; time++) assert.equal(words.take('/app/show.js'), '/app/show.js');
    assert.deepEqual(looked, ['/app/show.js']);
  });

  it('are searched each time, and never cached, if they contain a secret', () => {
    const { looked, words } = counting();
    for (let time = 0; time < 3; time++) assert.match(words.take('password=hunter22'), /\[redacted\]/);
    assert.equal(looked.length, 3);
  });

  it('are cached up to 2,000, each with at most 500 characters', () => {
    const { looked, words } = counting();
    const long = 'a '.repeat(300);
    for (let time = 0; time < 2; time++) words.take(long);
    assert.equal(looked.length, 2);
    for (let at = 0; at < 2000; at++) words.take(`word ${at}`);
    words.take('word 0');
    assert.equal(looked.length, 2002);
    for (const text of ['one more', 'one more', 'word 0']) words.take(text);
    assert.deepEqual(looked.slice(2002), ['one more', 'word 0']);
  });
});
