import { describe, it } from 'node:test';
import { within } from './writer-client.js';

describe('waiting within a time', () => {
  it('ends with the work, whatever becomes of it, or with the time', async () => {
    await within(60_000, Promise.resolve());
    await within(60_000, Promise.reject(new Error('broken')));
    await within(0, new Promise(() => {}));
  });
});
