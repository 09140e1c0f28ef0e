import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dump, redactedMark } from '#core/dump';
import { logLevels } from '#core/log';
import { createProfiler, registerSpan } from '#profiler';
import { addUp, getRecord, makeRequest, watchRequest } from './watch-request.js';

/** Any text, including unpaired surrogates. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '\udfff\ud800',
    '😀',
    '__proto__',
    'constructor',
    '</script>',
    '\n',
    'ÿ',
  ),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
    .map((codes) => String.fromCharCode(...codes)),
);
/** Any valid header: a name without colons, a value without surrounding blanks, and no line breaks in either. */
const headers = fc.array(
  fc.tuple(
    anyText.map((text) => text.replaceAll(/[\r\n:]/g, '-')),
    anyText.map((text) => text.replaceAll(/[\r\n]/g, '-').replaceAll(/^[ \t]+|[ \t]+$/g, '')),
  ),
  { maxLength: 12 },
);
/** Mostly values from a small set, so that neighbours share them. */
const familiar = fc.array(
  fc.tuple(fc.constantFrom('Accept', 'X-A', 'X-B', 'X-C', 'X-D', 'X-E'), fc.constantFrom('1', '2', '3')),
  { minLength: 6, maxLength: 6 },
);

/** Some values that many records share, and some that are unique. */
const contexts: readonly (object | undefined)[] = [
  undefined,
  Object.freeze({ route: 'show' }),
  Object.freeze({ count: 3, done: false }),
  { own: 1 },
];
const controllers = [
  undefined,
  { name: 'show', file: '/app/show.js', line: 3 },
  { name: 'list', file: '/app/list.js', line: 9 },
] as const;
const spans = ['first', 'second', 'third'].map((name) => registerSpan({ name, category: 'test' }));

const exchange = fc.record({
  method: fc.oneof(fc.constantFrom('GET', 'POST'), anyText),
  target: fc.oneof(
    fc.constantFrom('/', '/a?b=c', '*'),
    anyText.map((text) => `/${text}`),
  ),
  headers: fc.oneof(headers, familiar),
  sent: fc.oneof(headers, familiar),
  address: anyText,
  port: fc.nat(65_535),
  status: fc.integer({ min: 0, max: 999 }),
  bodyBytes: fc.nat(),
  body: fc.oneof(anyText, fc.constant('{"same":true}'), fc.uint8Array({ maxLength: 60 })),
  parameters: fc.dictionary(anyText, fc.oneof(anyText, fc.double(), fc.boolean(), fc.constant(null)), {
    maxKeys: 5,
  }),
  route: fc.option(anyText, { nil: null }),
  messages: fc.array(
    fc.tuple(
      fc.constantFrom(...logLevels),
      fc.oneof(fc.constantFrom('app', 'db'), anyText),
      fc.oneof(fc.constantFrom('Matched the route hello.', 'Saved.', 'x'.repeat(250)), anyText),
      fc.constantFrom(...contexts),
    ),
    { maxLength: 4 },
  ),
  controller: fc.constantFrom(...controllers),
  arguments: fc.array(fc.oneof(anyText, fc.constant(makeRequest())), { maxLength: 3 }),
  spans: fc.array(fc.nat(2), { maxLength: 5 }),
  section: fc.jsonValue({ maxDepth: 3 }),
  user: fc.option(
    anyText.filter((text) => text.length < 300),
    { nil: undefined },
  ),
});

describe('an encoded record is decoded unchanged', () => {
  it('whatever it contains, among any other records', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(exchange, { minLength: 1, maxLength: 10 }),
        fc.boolean(),
        async (all, flush) => {
          const profiler = createProfiler({
            store: 'memory:',
          });
          try {
            const tokens = all.map((one) =>
              watchRequest(profiler, {
                source: {
                  method: one.method,
                  target: one.target,
                  rawHeaders: one.headers.flat(),
                  peer: { address: one.address, port: one.port, encrypted: false },
                },
                body: one.body,
                sent: { status: one.status, headers: one.sent.flat(), bodyBytes: one.bodyBytes },
                during(recording) {
                  recording.route({ name: one.route, path: one.target }, one.parameters);
                  for (const [level, channel, message, context] of one.messages)
                    recording.log({ time: Date.now(), level, channel, message, context });
                  if (one.controller !== undefined) {
                    const { name, ...location } = one.controller;
                    const note = { name, location: () => location };
                    recording.controller(note, one.arguments);
                  }
                  for (const index of one.spans) recording.leave(recording.enter(spans[index] ?? 0));
                  recording.section('data', one.section);
                  if (one.user !== undefined) recording.user(one.user);
                },
              }),
            );
            if (flush) await profiler.flush();
            for (const [index, one] of all.entries()) {
              const record = await getRecord(profiler, tokens[index] ?? '');
              assert.deepEqual(record.request.headers, one.headers);
              assert.deepEqual(record.response?.headers, one.sent);
              assert.equal(record.request.target, one.target);
              assert.deepEqual(record.request.peer, { address: one.address, port: one.port });
              assert.deepEqual(
                [record.response?.status, record.response?.bodyBytes],
                [one.status, one.bodyBytes],
              );
              assert.equal(record.route?.name, one.route);
              assert.deepEqual(
                record.route?.parameters.map(({ name, value }) => [name, value.text]),
                Object.entries(one.parameters).map(([name, value]) => [
                  name,
                  Object.is(value, -0) ? '-0' : String(value),
                ]),
              );
              assert.deepEqual(
                record.logs.map(({ level, channel, message, context }) => [level, channel, message, context]),
                one.messages.map(([level, channel, message, context]) => [
                  level,
                  channel,
                  message,
                  context === undefined ? undefined : dump(context),
                ]),
              );
              const { controller } = record;
              assert.deepEqual(
                controller === null ? undefined : [controller.name, controller.file, controller.line],
                one.controller === undefined ? undefined : Object.values(one.controller),
              );
              assert.deepEqual(
                controller?.arguments.map(({ value }) => value.text),
                one.controller === undefined
                  ? undefined
                  : one.arguments.map((value) => (typeof value === 'string' ? value : 'HttpRequest')),
              );
              assert.deepEqual(
                record.timeline.map(({ name }) => name),
                one.spans.map((index) => ['first', 'second', 'third'][index]),
              );
              // A generated key may sound like a secret.
              const hasSecret = JSON.stringify(record.sections).includes(redactedMark);
              assert.deepEqual(
                hasSecret ? one.section : JSON.parse(JSON.stringify(record.sections['data'] ?? null)),
                JSON.parse(JSON.stringify(one.section)),
              );
              assert.equal(record.request.user, one.user ?? null);
              checkBody(record.response?.body ?? null, one.body, one.bodyBytes);
            }
            assert.equal(addUp(profiler).dropped.unrecordable, 0);
          } finally {
            await profiler.close();
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

function isPlainText(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0) && !/^\s*[<-]/.test(Buffer.from(bytes).toString());
}

function checkBody(
  kept: { encoding: string; content: string; bytes: number } | null,
  body: string | Uint8Array,
  bytes: number,
): void {
  if (bytes === 0) return assert.equal(kept, null);
  if (kept?.content === '')
    return assert.ok(
      typeof body === 'string' ? /^\s*[<-]|^$/.test(body) : body.length === 0 || !isPlainText(body),
    );
  if (typeof body === 'string') return assert.equal(kept?.content, body);
  const content =
    kept?.encoding === 'base64' ? Buffer.from(kept.content, 'base64') : Buffer.from(kept?.content ?? '');
  // A head may end within a four-byte character.
  assert.ok(
    body.length - content.length < 4 && Buffer.from(body).subarray(0, content.length).equals(content),
  );
}
