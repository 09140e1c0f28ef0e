import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { createEditorLinker } from '#errors';
import { callSitePairs, placeValue } from './place-value.js';

const none = createEditorLinker(undefined);
const editor = createEditorLinker('vscode');
const own = resolve('src/home.ts');

describe('a place of code', () => {
  it('is named from the working folder on, with its function where that is known', () => {
    const place = { file: own, line: 30, column: 5 };
    assert.equal(placeValue({ ...place, name: 'showHome' }, none).text, 'showHome (src/home.ts:30)');
    for (const name of ['', null, undefined])
      assert.equal(placeValue({ ...place, name }, none).text, 'src/home.ts:30');
    assert.equal(placeValue({ ...place, file: '/elsewhere/a.ts' }, none).text, '/elsewhere/a.ts:30');
  });

  it('without a file is its function alone, or a dash', () => {
    assert.deepEqual(placeValue({ name: 'run', file: '', line: 0, column: 0 }, editor), {
      text: 'run',
      mono: true,
    });
    assert.deepEqual(placeValue({ name: null, file: '', line: 0, column: 0 }, editor), {
      text: '–',
      mono: true,
    });
  });

  it('leads to the editor where one is set', () => {
    assert.equal(placeValue({ file: own, line: 3, column: 4 }, none).href, undefined);
    assert.match(
      placeValue({ file: own, line: 3, column: 4 }, editor).href ?? '',
      /^vscode:\/\/file\/.*home\.ts:3:4$/,
    );
  });

  it('is one of those that called each other, the innermost first', () => {
    const sites = [1, 2, 3].map((line) => ({ name: null, file: own, line, column: 1 }));
    assert.deepEqual(
      callSitePairs(sites, { editor: none }).map(([key, { text }]) => [key, text]),
      [
        ['Called from', 'src/home.ts:1'],
        ['Called by', 'src/home.ts:2'],
        ['Called by', 'src/home.ts:3'],
      ],
    );
    assert.deepEqual(callSitePairs([], { editor: none }), []);
  });
});
