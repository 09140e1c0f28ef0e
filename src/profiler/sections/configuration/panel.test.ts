import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textOf } from '../../../../test/profiler/plain-record.js';
import { configPanel, selfPanel } from './panel.js';

describe("the profiler's own panel", () => {
  it('is shown with what limits truncated, next to the configuration', () => {
    const limits = [{ what: 'logs', kept: 3, total: 1200, limit: 3 }];
    assert.match(textOf(selfPanel, { limits }), /`logs` \| `3` \| `1,200` \| `3`/);
    assert.match(textOf(selfPanel, {}), /Nothing was cut from this record/);
    assert.match(textOf(configPanel, {}), /node: `v20`/);
    const config = { 'retention bytes': 268_435_456, port: 45_600, trustedHosts: '' };
    assert.match(textOf(configPanel, { config }), /bytes: `256.0 MiB`[^]*port: `45600`[^]*Hosts: none/);
    assert.match(textOf(configPanel, { config: {} }), /Nothing was recorded about the configuration/);
  });

  it('lists the loaded libraries, and why one is not recorded', () => {
    const why = 'recorded versions are 4.x, 5.x';
    const text = textOf(configPanel, {
      libraries: [
        { name: 'express', version: '3.21.2', isLoaded: true, isRecorded: false, records: 'handlers', why },
        { name: 'hono', version: '4.9.0', isRecorded: true },
        { name: 'pg', version: '8.16.0', isLoaded: true, isRecorded: true },
      ],
    });
    assert.match(text, /`express` \| `3.21.2` \| `not its handlers: recorded versions are 4.x, 5.x`/);
    assert.match(text, /`hono` \| `4.9.0` \| `if loaded/);
    assert.match(text, /`pg` \| `8.16.0` \| `yes`/);
    assert.doesNotMatch(textOf(configPanel, {}), /Libraries/, 'nobody looked');
    assert.match(textOf(configPanel, { libraries: [] }), /No known library was found/);
  });
});
