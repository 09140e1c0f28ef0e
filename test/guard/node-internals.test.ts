import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { sourceFiles } from './source-files.js';

/** Internals of Node that no module may use: private names, replaced methods, compared source texts. */
const internal =
  /\b_(?:header|headerSent|dump|onPendingData|httpMessage|events|handle|readableState|writableState|final|flush|send|storeHeader)\b|http\.server\.connections|\bassignSocket\b|\bdetachSocket\b|closeIdleConnections|httpAllowHalfOpen|shouldKeepAlive|useChunkedEncodingByDefault|removeAllListeners|\.prototype\.emit\b|process\.binding|(?:IncomingMessage|ServerResponse|OutgoingMessage|Socket|Server|Readable|Writable|Duplex)\.prototype\b/;
const entry = 'src/core/http/node/fast/';
/** Observe servers and clients that are not ours, from outside. */
const onlookers = ['src/profiler/attach/', 'src/profiler/instrumentation/calls/'];

describe("Node's internals", () => {
  it(`are used only in ${entry}, which contains our own server`, () => {
    const files = [...sourceFiles('src')].filter(
      (file) => ![entry, ...onlookers].some((allowed) => file.startsWith(allowed)),
    );
    const found = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, at) => (internal.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
    );
    assert.deepEqual(found, []);
    const own = [...sourceFiles('src')].filter((file) => file.startsWith(entry));
    assert.ok(
      own.some((file) => internal.test(readFileSync(file, 'utf8'))),
      'the pattern finds the known uses',
    );
  });
});
