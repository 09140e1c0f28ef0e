import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderCurl } from './render-curl.js';
import { type RepeatableRequest, describeMissing } from './replay.js';

const plain: RepeatableRequest = {
  method: 'POST',
  url: 'http://a.test/',
  headers: [],
  body: undefined,
  missing: [],
  isWhole: true,
};

/** Returns what a shell passes to `curl` for each of the commands: its arguments as bytes, and its input. */
function argumentsOf(commands: readonly string[], shell: string): { args: Buffer[]; input: Buffer }[] {
  const script = [
    `curl() { for given in "$@"; do printf '%s\\0' "$given"; done; for last in "$@"; do :; done;`,
    `if [ "$last" = '@-' ]; then printf 'INPUT\\0'; base64 | tr -d '\\n'; printf '\\0'; fi; printf 'NEXT\\0'; }`,
    ...commands,
  ].join('\n');
  const run = spawnSync(shell, ['-c', script]);
  assert.equal(run.status, 0, run.stderr.toString());
  assert.equal(run.stderr.length, 0, run.stderr.toString());
  const parts: Buffer[] = [];
  for (
    let from = 0, end = run.stdout.indexOf(0);
    end !== -1;
    from = end + 1, end = run.stdout.indexOf(0, from)
  )
    parts.push(run.stdout.subarray(from, end));
  const calls: { args: Buffer[]; input: Buffer }[] = [];
  let args: Buffer[] = [];
  let input = Buffer.alloc(0);
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? Buffer.alloc(0);
    if (part.equals(Buffer.from('INPUT'))) input = Buffer.from(String(parts[++at]), 'base64');
    else if (part.equals(Buffer.from('NEXT'))) {
      calls.push({ args, input });
      [args, input] = [[], Buffer.alloc(0)];
    } else args.push(part);
  }
  return calls;
}

/** The values of an option, as bytes. */
const valuesOf = (args: readonly Buffer[], option: string): string[] =>
  args.flatMap((value, at) => (String(args[at - 1]) === option ? [value.toString('latin1')] : []));

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

describe('a request as a command', () => {
  const safe = fc.stringMatching(/^[ -~é日😀\n\t]{0,30}$/u);
  const name = fc
    .stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,8}$/)
    .filter((one) => one !== 'NEXT' && one !== 'INPUT');
  const printable = fc.stringMatching(/^[!-~][ -~]{0,20}$/);
  const request = (
    body: fc.Arbitrary<RepeatableRequest['body']>,
    value: fc.Arbitrary<string>,
  ): fc.Arbitrary<RepeatableRequest> =>
    fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PURGE', "O'DD", '$(id)'),
      url: safe.map((text) => `http://a.test/${text.replaceAll('\n', '')}`),
      headers: fc.array(fc.tuple(name, value), { maxLength: 4 }),
      body,
      missing: fc.array(safe, { maxLength: 2 }),
      isWhole: fc.boolean(),
    });
  const text = safe.map((content) => ({ encoding: 'text', content }) as const);

  it('has each value as one word for any shell, and nothing that a shell would run', () => {
    const requests = fc.sample(request(fc.option(text, { nil: undefined }), printable), {
      numRuns: 60,
      seed: 11,
    });
    const calls = argumentsOf(requests.map(renderCurl), 'sh');
    assert.equal(calls.length, requests.length);
    for (const [at, { method, url, headers, body }] of requests.entries()) {
      const { args } = calls[at] ?? assert.fail('no call');
      assert.deepEqual(args.slice(0, 2).map(String), ['--globoff', '--path-as-is']);
      assert.ok(
        args.some((one) => one.toString('latin1') === utf8(url)),
        url,
      );
      assert.deepEqual(valuesOf(args, '--request'), method === 'GET' || method === 'HEAD' ? [] : [method]);
      assert.equal(args.map(String).includes('--head'), method === 'HEAD');
      const sent = valuesOf(args, '--header');
      assert.deepEqual(
        sent.slice(0, headers.length),
        headers.map(([field, value]) => `${field}: ${value}`),
      );
      for (const added of sent.slice(headers.length))
        assert.match(added, /^(?:User-Agent|Accept|Content-Type|Expect):$/);
      assert.deepEqual(valuesOf(args, '--data-raw'), body === undefined ? [] : [utf8(body.content)]);
    }
  });

  it('has the bytes of every header and body for bash, including unprintable ones', () => {
    const byte = fc.integer({ min: 1, max: 255 }).filter((code) => code !== 10 && code !== 13);
    const wire = fc
      .array(byte, { minLength: 1, maxLength: 12 })
      .map((codes) => String.fromCharCode(...codes));
    const odd = fc.array(fc.constantFrom('\u0001', 'é', 'ÿ', ': ', "'", '\\', '日', 'a', '\u0085'), {
      maxLength: 8,
    });
    const body = odd.map((parts) => ({ encoding: 'text', content: parts.join('') }) as const);
    const requests = fc.sample(request(body, wire), { numRuns: 60, seed: 12 });
    const calls = argumentsOf(requests.map(renderCurl), 'bash');
    for (const [at, { headers, body: sent }] of requests.entries()) {
      const { args } = calls[at] ?? assert.fail('no call');
      assert.deepEqual(
        valuesOf(args, '--header').slice(0, headers.length),
        headers.map(([field, value]) => `${field}: ${value}`),
      );
      assert.deepEqual(valuesOf(args, '--data-raw'), [utf8(sent?.content ?? '')]);
    }
  });

  it('passes a JSON body with accents unchanged, not as Latin-1 bytes', () => {
    const content = '{"title": "é"}';
    const [call] = argumentsOf([renderCurl({ ...plain, body: { encoding: 'text', content } })], 'bash');
    assert.deepEqual(valuesOf(call?.args ?? [], '--data-raw'), [utf8(content)]);
    const [path] = argumentsOf([renderCurl({ ...plain, url: 'http://a.test/ü: x' })], 'bash');
    assert.ok(path?.args.some((one) => String(one) === 'http://a.test/ü: x'));
  });

  it('passes bytes through a pipe, for any content', () => {
    const requests = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 40 }), { numRuns: 20, seed: 13 });
    const commands = requests.map((bytes) =>
      renderCurl({ ...plain, body: { encoding: 'base64', content: Buffer.from(bytes).toString('base64') } }),
    );
    const calls = argumentsOf(commands, 'sh');
    assert.equal(calls.length, requests.length);
    for (const [at, { input, args }] of calls.entries()) {
      assert.deepEqual(valuesOf(args, '--data-binary'), ['@-']);
      assert.deepEqual(input, Buffer.from(requests[at] ?? []));
    }
  });

  it('sends an empty header as empty, and removes what curl would add', () => {
    const [call] = argumentsOf(
      [
        renderCurl({
          ...plain,
          headers: [
            ['X-Empty', ''],
            ['accept', '*/*'],
          ],
        }),
      ],
      'sh',
    );
    assert.deepEqual(valuesOf(call?.args ?? [], '--header'), ['X-Empty;', 'accept: */*', 'User-Agent:']);
  });

  it('says at the beginning what is missing, in a one-line comment', () => {
    const missing = ['Cookie', 'a\nrm -rf /', 'é'.repeat(2000)];
    const [first = '', second = ''] = renderCurl({ ...plain, missing }).split('\n');
    assert.match(first, /^# Omitted, .*: Cookie, a\?rm -rf \/, \?+\.$/);
    assert.ok(first.length < 1100);
    assert.match(second, /^curl /);
    assert.equal(describeMissing(plain), undefined);
  });
});
