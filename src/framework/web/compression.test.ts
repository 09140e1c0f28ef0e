import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createDispatcher } from '#core/events';
import { HttpRequest, HttpResponse } from '#core/http';
import { responseEvent } from '#framework/kernel';
import { chooseEncoding, compression, isCompressibleType } from './compression.js';

describe('chooseEncoding', () => {
  it("selects the client's favourite, then the first offered", () => {
    const cases: [accept: string | undefined, expected: string | undefined][] = [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['x-gzip', 'gzip'],
      ['gzip;q=1.0, br;q=0.5', 'gzip'],
      ['*', 'br'],
      ['*;q=0.5, br;q=0', 'gzip'],
      ['br;q=0, gzip;q=0', undefined],
      ['identity', undefined],
      ['identity;q=0.5, gzip;q=0.8', 'gzip'],
      ['identity;q=0.9, gzip;q=0.8', undefined],
      ['deflate', undefined],
      ['', undefined],
      [undefined, undefined],
    ];
    for (const [accept, expected] of cases) assert.equal(chooseEncoding(accept), expected, accept);
  });
});

describe('isCompressibleType', () => {
  it('is true for all kinds of text, and false for compressed content', () => {
    for (const type of [
      'text/html; charset=utf-8',
      'application/json',
      'application/problem+json',
      'image/svg+xml',
      'Text/Plain',
      'application/wasm',
    ])
      assert.equal(isCompressibleType(type), true, type);
    for (const type of [
      'image/png',
      'application/zip',
      'video/mp4',
      'application/octet-stream',
      'font/woff2',
      '',
      undefined,
    ])
      assert.equal(isCompressibleType(type), false, type);
  });
});

describe('a response', () => {
  const text = 'text '.repeat(400);

  /** The response to a client that accepts gzip, after compression. */
  async function pass(
    headers: Readonly<Record<string, string>>,
    {
      status = 200,
      body = text as ConstructorParameters<typeof HttpResponse>[0],
      method = 'GET',
      options = {},
    } = {},
  ): Promise<HttpResponse> {
    const dispatcher = createDispatcher();
    for (const listener of compression(options).listeners ?? []) listener.addTo(dispatcher);
    const request = new HttpRequest({
      method,
      target: '/a/b',
      rawHeaders: ['Host', 'localhost', 'Accept-Encoding', 'gzip'],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    const response = new HttpResponse(body, {
      status,
      headers: { 'Content-Type': 'text/plain', ...headers },
    });
    await dispatcher.dispatch(responseEvent, { request, response });
    return response;
  }
  const isSmaller = async (...given: Parameters<typeof pass>): Promise<boolean> =>
    (await pass(...given)).headers.get('content-encoding') === 'gzip';

  it("that is compressed loses the original's length and ranges, and its strong tag becomes weak", async () => {
    const { headers, body } = await pass({ 'Content-Length': '2000', 'Accept-Ranges': 'bytes', ETag: '"a"' });
    assert.deepEqual(
      ['content-encoding', 'content-length', 'accept-ranges', 'etag', 'vary'].map((name) =>
        headers.get(name),
      ),
      ['gzip', undefined, undefined, 'W/"a"', 'Accept-Encoding'],
    );
    assert.equal(gunzipSync(body as Uint8Array).toString(), text); // the body is compressed bytes
    assert.equal((await pass({ ETag: 'W/"a"' })).headers.get('etag'), 'W/"a"');
  });

  it('is unchanged depending on its status, type, size, fields and path', async () => {
    for (const status of [204, 206, 304])
      assert.equal(await isSmaller({}, { status }), false, String(status));
    for (const status of [200, 201, 404, 500])
      assert.equal(await isSmaller({}, { status }), true, String(status));
    for (const headers of [
      { 'Content-Type': 'image/png' },
      { 'Content-Encoding': 'br' },
      { 'Content-Range': 'bytes 0-1/2' },
      { 'Cache-Control': 'public, no-transform' },
      { 'Cache-Control': 'private' },
      { 'Set-Cookie': 'a=b' },
    ] as Record<string, string>[])
      assert.equal(await isSmaller(headers), false, JSON.stringify(headers));
    const options = { privateAnswers: true };
    for (const headers of [{ 'Cache-Control': 'private' }, { 'Set-Cookie': 'a=b' }] as Record<
      string,
      string
    >[])
      assert.equal(await isSmaller(headers, { options }), true, JSON.stringify(headers));
    assert.equal(await isSmaller({}, { body: null }), false);
    const sized = (length: number, threshold?: number): Promise<boolean> =>
      isSmaller({}, { body: 'a'.repeat(length), options: threshold === undefined ? {} : { threshold } });
    assert.deepEqual(await Promise.all([sized(1024), sized(1023), sized(100, 100), sized(99, 100)]), [
      true,
      false,
      true,
      false,
    ]);
    for (const [path, expected] of [
      ['/a', true],
      ['/b', false],
    ] as const)
      // prettier-ignore
      assert.equal(await isSmaller({}, { options: { paths: [path] } }), expected);
  });

  it('with 304 varies like the complete one', async () => {
    assert.equal((await pass({}, { status: 304, body: null })).headers.get('vary'), 'Accept-Encoding');
    assert.equal((await pass({}, { status: 404, body: 'short' })).headers.get('vary'), undefined);
  });
});
