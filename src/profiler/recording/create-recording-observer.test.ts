import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest, HttpResponse } from '#core/http';
import type { Recording } from '../model/recording.js';
import { registerSpan } from './span-list.js';
import {
  HeaderFollower,
  headerWrites,
  removed,
  separator,
  textsOfWrite,
} from './create-recording-observer.js';

/** The part of a recording used by a header follower. */
function recordingOf(request: HttpRequest): Recording {
  const recording: Pick<Recording, 'request' | 'enter' | 'leave' | 'lateError'> = {
    request,
    enter: () => 0,
    leave: () => undefined,
    lateError: () => undefined,
  };
  return recording as Recording; // the rest is not read
}

describe('a header follower', () => {
  it('records it if all headers are replaced by as many others', () => {
    const request = new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'a.test'],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    const response = new HttpResponse('', { headers: { 'X-Old': 'a' } });
    const follower = new HeaderFollower(recordingOf(request), { response });
    response.headers.delete('X-Old');
    response.headers.set('X-New', 'b');
    follower.leave(0);
    const texts = request.scope.getOwn(headerWrites)?.text.split(separator) ?? [];
    const written = Array.from({ length: Math.floor(texts.length / textsOfWrite) }, (_, at) =>
      texts.slice(at * textsOfWrite + 1, at * textsOfWrite + 3),
    );
    assert.deepEqual(written, [
      ['X-Old', 'a'],
      ['X-New', 'b'],
      ['X-Old', removed],
    ]);
  });

  it('records what each listener set, changed and removed, in order, without repetitions', () => {
    const request = new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'a.test'],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    const response = new HttpResponse('', { headers: { 'X-First': 'a', Server: 'b' } });
    const follower = new HeaderFollower(recordingOf(request), { response });
    const run = (name: string, change: () => void): void => {
      const index = follower.enter(registerSpan({ name, category: 'listener', event: 'response' }));
      change();
      follower.leave(index);
    };
    run('adds', () => response.headers.set('X-Id', '7'));
    run('rests', () => undefined);
    run('changes', () => response.headers.set('X-First', 'c'));
    run('removes', () => response.headers.delete('X-First'));
    run('removes the last', () => response.headers.delete('X-Id'));
    const texts = request.scope.getOwn(headerWrites)?.text.split(separator) ?? [];
    const writes = Array.from({ length: Math.floor(texts.length / textsOfWrite) }, (_, at) =>
      texts.slice(at * textsOfWrite, at * textsOfWrite + 3),
    );
    assert.deepEqual(writes, [
      ['', 'X-First', 'a'],
      ['', 'Server', 'b'],
      ['adds', 'X-Id', '7'],
      ['changes', 'X-First', 'c'],
      ['removes', 'X-First', removed],
      ['removes the last', 'X-Id', removed],
    ]);
  });
});
