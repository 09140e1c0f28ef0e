import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor, dump, renderPictureText } from '#dump';
import { takeValue } from './picture-argument.js';
import { SharedPicture } from './shared-picture.js';

class SqlEntityManager {
  readonly inside = { of: 'it' };
}
class MailService extends SqlEntityManager {}
class Article {
  readonly title = 'On stacks';
}

const redactor = createRedactor();

describe('takeValue', () => {
  it('shows what does something as one line, and what holds something with its members', () => {
    for (const value of [new SqlEntityManager(), new MailService()]) {
      const taken = takeValue(value, redactor);
      assert.ok(taken instanceof SharedPicture);
      assert.equal(renderPictureText(taken.picture), `${value.constructor.name} {…}`);
    }
    assert.deepEqual(takeValue(new Article(), redactor), { picture: dump(new Article(), { redactor }) });
  });
});
