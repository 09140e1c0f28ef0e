import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from './dump-value.js';
import { renderPicture } from './picture-view.js';

const shown = (value: unknown): string =>
  renderPicture(dump(value))
    .toString()
    .replaceAll(/<span class="pic-more">.*?<\/span>/g, '')
    .replaceAll(/<[^>]*>|\s+/g, '');

describe('renderPicture', () => {
  it('an open tree has its members between its brackets, not behind a pair of empty ones', () => {
    assert.equal(shown({ a: [true], b: null }), '{a:Array(1)[0:true]b:null}');
  });
});
