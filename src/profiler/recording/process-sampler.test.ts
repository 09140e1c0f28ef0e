import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { afterEach, describe, it, mock } from 'node:test';
import { createProcessSampler, processOrigin } from './process-sampler.js';

describe('the process sampler', () => {
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('has a sample at once and a new one every second, until it is stopped', () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const failed: unknown[] = [];
    const sampler = createProcessSampler((error) => failed.push(error));
    const first = sampler.sample;
    assert.ok(first.runtime.memory.rss > 1e6);
    const { meanDelayMs, maxDelayMs, utilization } = first.runtime.eventLoop;
    assert.deepEqual([meanDelayMs, maxDelayMs], [0, 0]); // nothing was measured yet
    assert.ok(utilization >= 0 && utilization <= 1);
    assert.ok(Math.abs(first.epoch + first.at - Date.now()) < 1000);
    mock.timers.tick(999);
    assert.equal(sampler.sample, first);
    mock.timers.tick(1);
    const second = sampler.sample;
    assert.notEqual(second, first);
    sampler.stop();
    mock.timers.tick(5000);
    assert.equal(sampler.sample, second);
    assert.deepEqual(failed, []);
  });

  it('keeps the last memory values if they cannot be read, and reports it', () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const failed: unknown[] = [];
    const sampler = createProcessSampler((error) => failed.push(error));
    const { memory } = sampler.sample.runtime;
    mock.method(process, 'memoryUsage', () => {
      throw new Error('EMFILE');
    });
    mock.timers.tick(1000);
    assert.deepEqual(sampler.sample.runtime.memory, memory);
    assert.deepEqual(failed.map(String), ['Error: EMFILE']);
    sampler.stop();
  });

  it('reports 0 if memory could never be read', () => {
    mock.method(process, 'memoryUsage', () => {
      throw new Error('EMFILE');
    });
    const sampler = createProcessSampler(() => {});
    assert.deepEqual(sampler.sample.runtime.memory, { rss: 0, heapUsed: 0, heapTotal: 0, external: 0 });
    sampler.stop();
  });
});

describe("a record's origin", () => {
  it('is the process, with its application version if set', () => {
    const { APP_VERSION: version, npm_package_version: packageVersion } = process.env;
    try {
      process.env['APP_VERSION'] = '1';
      process.env['npm_package_version'] = '2';
      assert.deepEqual(processOrigin(), { instance: `${hostname()}:${process.pid}`, version: '1' });
      delete process.env['APP_VERSION'];
      assert.equal(processOrigin().version, '2');
      delete process.env['npm_package_version'];
      assert.equal(processOrigin().version, '');
    } finally {
      for (const [name, value] of Object.entries({
        APP_VERSION: version,
        npm_package_version: packageVersion,
      }))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
  });
});
