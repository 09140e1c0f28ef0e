/** A process that ends in the middle of a request and prints its tokens: `node end-at-once.js FILE exit|throw`. */
import { writeSync } from 'node:fs';
import { createProfiler } from 'lookback/profiler';
import { makeRequest, watchRequest } from './watch-request.js';

const [path = '', end = ''] = process.argv.slice(2);
const profiler = createProfiler({ store: `sqlite:${path}` });
const tokens = [watchRequest(profiler)];
await profiler.flush();
tokens.push(watchRequest(profiler), watchRequest(profiler));
tokens.push(profiler.begin(makeRequest({ target: '/the-last' })).token);
writeSync(1, tokens.join('\n'));
if (end === 'exit') process.exit(3);
setImmediate(() => {
  throw new Error('nobody catches this');
});
