import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ControllerContext } from '#framework/controller';
import { HttpRequest, UpgradeResponse } from '#core/http';
import { supportedPackages } from '#core/patches';
import { webSocket } from './web-socket.js';

function handshake(): ControllerContext<Readonly<Record<string, unknown>>> {
  const headers = {
    Host: 'localhost',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const request = new HttpRequest({
    method: 'GET',
    target: '/',
    rawHeaders: Object.entries(headers).flat(),
    httpVersion: '1.1',
    canUpgrade: true,
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
  });
  return { request } as ControllerContext<Readonly<Record<string, unknown>>>; // the rest is for the handler
}

describe('webSocket', () => {
  it('loads its package again after a failure', async (t) => {
    const controller = webSocket(() => undefined);
    const { versions } = supportedPackages.ws;
    t.after(() => Object.assign(supportedPackages.ws, { versions }));
    Object.assign(supportedPackages.ws, { versions: ['99'] });
    await assert.rejects(controller(handshake()), { code: 'PATCHES_PACKAGE_VERSION' });
    Object.assign(supportedPackages.ws, { versions });
    assert.ok((await controller(handshake())) instanceof UpgradeResponse);
  });
});
