import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stateStoreAddress } from '#profiler/setup';
import { readSettings } from './attach-options.js';

describe('attachment settings', () => {
  it('have defaults: everything is recorded, except in production', () => {
    const { enabled, store, prefix, bodies, pages, errorPage, toolbar, sample } = readSettings({}, {});
    assert.deepEqual(
      { enabled, store, prefix, bodies, pages, errorPage, toolbar, sample },
      {
        enabled: true,
        store: stateStoreAddress(),
        prefix: '/_profiler',
        bodies: true,
        pages: true,
        errorPage: false,
        toolbar: true,
        sample: { rate: 1 },
      },
    );
    const production = readSettings({}, { NODE_ENV: 'production' });
    assert.deepEqual([production.enabled, production.bodies], [false, false]);
    assert.equal(readSettings({}, { NODE_ENV: 'test' }).store, 'memory:');
    assert.equal(readSettings({}, { PROFILER_STORE: 'off' }).enabled, false);
    const peers = { DEBUG_ALLOWED_PEERS: '10.0.0.7, 172.17.0.0/16' };
    assert.deepEqual(readSettings({}, peers).access, { peers: ['10.0.0.7', '172.17.0.0/16'] });
    assert.deepEqual(readSettings({ access: { hosts: ['a.test'] } }, peers).access, { hosts: ['a.test'] });
  });

  it('are switched by LOOKBACK in any accepted spelling, even in production, where bodies are off', () => {
    for (const [said, enabled] of [
      ['on', true],
      ['ON', true],
      ['1', true],
      ['true', true],
      ['yes', true],
      ['off', false],
      ['0', false],
      ['False', false],
      ['no', false],
    ] as const)
      for (const mode of ['production', 'development'])
        assert.equal(
          readSettings({}, { LOOKBACK: said, NODE_ENV: mode }).enabled,
          enabled,
          `${said} in ${mode}`,
        );
    assert.equal(readSettings({}, { LOOKBACK: 'on', NODE_ENV: 'production' }).bodies, false);
    assert.equal(readSettings({}, { LOOKBACK_TOOLBAR: 'off' }).toolbar, false);
  });

  it('come from the options if both are set', () => {
    const variables = {
      LOOKBACK: 'off',
      PROFILER_STORE: 'memory:',
      LOOKBACK_IDE: 'vscode',
      PROFILER_SAMPLE: '0.5',
    };
    const settings = readSettings(
      {
        enabled: true,
        store: 'sqlite:x.db',
        editor: 'zed',
        sample: { rate: 0.1 },
        toolbar: false,
        bodies: false,
      },
      variables,
    );
    assert.deepEqual(
      [
        settings.enabled,
        settings.store,
        settings.editor,
        settings.sample.rate,
        settings.toolbar,
        settings.bodies,
      ],
      [true, 'sqlite:x.db', 'zed', 0.1, false, false],
    );
    assert.equal(readSettings({}, variables).editor, 'vscode');
  });
});
