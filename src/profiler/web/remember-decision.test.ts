import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#http';
import { rememberDecision } from './remember-decision.js';

function request(target: string, headers: readonly string[], address = '127.0.0.1'): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target,
    rawHeaders: headers,
    httpVersion: '1.1',
    peer: { address, port: 1, encrypted: false },
  });
}

describe('rememberDecision', () => {
  it('asks again as soon as anything differs that a decision could depend on', () => {
    let asked = 0;
    const guard = rememberDecision(({ headers }) => {
      asked++;
      return headers.has('origin') ? { allowed: false, reason: 'another site' } : { allowed: true };
    });
    const host = ['Host', 'localhost'];
    const allowed = (target: string, headers: readonly string[], address?: string): boolean =>
      guard(request(target, headers, address)).allowed;
    assert.deepEqual([allowed('/', host), allowed('/other', [...host]), asked], [true, true, 1]);
    assert.deepEqual([allowed('/', [...host, 'Origin', 'http://evil.example']), asked], [false, 2]);
    assert.deepEqual([allowed('/', host), asked], [true, 3]);
    assert.deepEqual([allowed('/', host, '10.0.0.1'), asked], [true, 4]);
    assert.deepEqual([allowed('http://evil.example/', host, '10.0.0.1'), asked], [true, 5]);
    assert.deepEqual([allowed('http://evil.example/', host, '10.0.0.1'), asked], [true, 6]);
  });
});
