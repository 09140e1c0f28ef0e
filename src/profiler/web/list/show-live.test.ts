import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest, type RequestSource } from '#core/http';
import type { ProfileNews } from '../../model/profile-query.js';
import type { ProfileReader } from '../site/profiler-site.js';
import { LiveSubscribers } from './show-live.js';

function requestOf(
  headers: Readonly<Record<string, string>> = {},
  changes: Partial<RequestSource> = {},
): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: '/_profiler/',
    rawHeaders: ['Host', 'a.test', ...Object.entries(headers).flat()],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
    ...changes,
  });
}

describe('pages that follow the list', () => {
  const rows = [{ token: 'abc' }] as unknown as ProfileNews['rows'];
  const render = (given: ProfileNews['rows']): string => JSON.stringify(given.length);
  const follow = (news: readonly (ProfileNews | undefined)[], controller = new AbortController()) => {
    let at = 0;
    const asked: (string | null)[] = [];
    const reader: Pick<ProfileReader, 'news'> = {
      async news(_query, position) {
        asked.push(position);
        const found = news[at++];
        if (at > news.length) controller.abort();
        return at > news.length ? { rows: [], position: position ?? '', isGap: false } : found;
      },
    };
    const subscribers = new LiveSubscribers();
    const request = requestOf({}, { signal: controller.signal });
    return {
      subscribers,
      asked,
      request,
      stream: () => subscribers.follow(request, { reader, query: {}, position: 'p0', render }),
    };
  };
  const read = async (stream: AsyncGenerator<string>): Promise<string[]> => {
    const all: string[] = [];
    for await (const event of stream) all.push(event);
    return all;
  };

  it('receive rows with the position after them, and continue from there', async () => {
    const { stream, asked } = follow([
      { rows, position: 'p1', isGap: false },
      { rows: [], position: 'p2', isGap: false },
      { rows, position: 'p3', isGap: true },
    ]);
    const [first = '', ...events] = await read(stream());
    assert.match(first, /^:/);
    assert.deepEqual(events.slice(0, 3), [
      'id: p1\ndata: 1\n\n',
      'id: p2\n\n',
      'event: gap\nid: p3\ndata:\n\n',
    ]);
    assert.deepEqual(asked, ['p0', 'p1', 'p2', 'p3']);
  });

  it('end if the store provides no news', async () => {
    const { stream, asked } = follow([undefined]);
    assert.equal((await read(stream())).length, 1);
    assert.equal(asked.length, 1);
  });

  it('are limited to twenty; leaving makes room', async () => {
    const { subscribers, stream } = follow([]);
    const open = Array.from({ length: 20 }, stream);
    for (const one of open) await one.next();
    assert.equal(subscribers.isFull, true);
    assert.deepEqual(await read(stream()), []);
    await open[0]?.return(undefined);
    assert.equal(subscribers.isFull, false);
    for (const one of open) await one.return(undefined);
  });
});
