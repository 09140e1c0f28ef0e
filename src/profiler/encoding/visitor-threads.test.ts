import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VisitorThreads } from './visitor-threads.js';

function request(cookie?: string): string[] {
  return ['Host', 'localhost', ...(cookie === undefined ? [] : ['Cookie', cookie])];
}

const setCookie = (text: string): string[] => ['Content-Type', 'text/plain', 'Set-Cookie', text];

describe('the threads of visitors', () => {
  it('are the same for one session, and for no one else', () => {
    const threads = new VisitorThreads();
    const ada = threads.visitorOf(request('theme=dark; session=ada-secret'), []);
    assert.match(ada ?? '', /^[\da-f]{16}$/);
    assert.equal(threads.visitorOf(request('session=ada-secret; theme=light'), []), ada);
    assert.notEqual(threads.visitorOf(request('session=bob-secret'), []), ada);
    assert.notEqual(threads.visitorOf(request('sid=ada-secret'), []), ada);
    assert.notEqual(new VisitorThreads().visitorOf(request('session=ada-secret'), []), ada);
  });

  it('need a cookie of a name that sessions have', () => {
    const threads = new VisitorThreads();
    for (const cookie of [
      undefined,
      '',
      'theme=dark',
      'session=',
      'my-session-x=1',
      'xsid=1',
      'session_note=1',
    ])
      assert.equal(threads.visitorOf(request(cookie), []), null, cookie);
    for (const name of [
      'session',
      '__Host-session',
      '__Secure-sid',
      'connect.sid',
      'PHPSESSID',
      'JSESSIONID',
    ])
      assert.notEqual(threads.visitorOf(request(`${name}=x`), []), null, name);
  });

  it('begin with the response that makes the session', () => {
    const threads = new VisitorThreads();
    const begun = threads.visitorOf(request(), setCookie('session=new; Path=/; HttpOnly'));
    assert.notEqual(begun, null);
    assert.equal(threads.visitorOf(request('session=new'), []), begun);
    assert.equal(threads.visitorOf(request(), setCookie('theme=dark')), null);
    assert.equal(threads.visitorOf(request(), setCookie('session=; Max-Age=0')), null);
  });

  it('go on where a login changes the id, over several changes', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request('session=one'), setCookie('session=two'));
    assert.equal(first, threads.visitorOf(request('session=one'), []));
    assert.equal(threads.visitorOf(request('session=two'), setCookie('SESSION=no; session=x')), first);
    assert.equal(threads.visitorOf(request('session=two'), setCookie('session=three')), first);
    assert.equal(threads.visitorOf(request('session=three'), []), first);
  });

  it('hold no id of a session, however many have come', () => {
    const threads = new VisitorThreads();
    for (let n = 0; n < 5_100; n++) threads.visitorOf(request(`session=a${n}`), setCookie(`session=b${n}`));
    const latest = threads.visitorOf(request('session=a5099'), []);
    assert.equal(threads.visitorOf(request('session=b5099'), []), latest);
    // The oldest tie is given up; the later id is a visitor of its own then.
    assert.notEqual(
      threads.visitorOf(request('session=b0'), []),
      threads.visitorOf(request('session=a0'), []),
    );
  });
});

describe('the session of a visitor', () => {
  it('is the same for the same cookie, and is not the cookie', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request('sid=abc123; theme=dark'), []);
    assert.match(first ?? '', /^[0-9a-f]{16}$/);
    assert.equal(threads.visitorOf(request('theme=light; sid=abc123'), []), first);
    assert.notEqual(threads.visitorOf(request('sid=abc124'), []), first);
    assert.notEqual(threads.visitorOf(request('session=abc123'), []), first);
    assert.notEqual(new VisitorThreads().visitorOf(request('sid=abc123'), []), first);
  });

  it('is none without a cookie of a session', () => {
    const threads = new VisitorThreads();
    for (const cookie of [undefined, '', 'theme=dark', 'sid=', 'mysid=1', 'sidebar=open', 'x=session'])
      assert.equal(threads.visitorOf(request(cookie), ['Set-Cookie', 'theme=1']), null, cookie);
  });

  it('is known by names with a prefix and by those of other platforms', () => {
    const threads = new VisitorThreads();
    for (const name of [
      '__Host-session',
      '__Secure-sid',
      'connect.sid',
      'PHPSESSID',
      'JSESSIONID',
      'sessionid',
    ])
      assert.notEqual(threads.visitorOf(request(`${name}=1`), []), null, name);
  });

  it('holds over a response that changes the id, again and again', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request(), ['set-cookie', 'sid=one; Path=/']);
    assert.notEqual(first, null);
    assert.equal(
      threads.visitorOf(request('sid=one'), ['Set-Cookie', 'theme=x', 'SET-COOKIE', 'sid=two']),
      first,
    );
    assert.equal(threads.visitorOf(request('sid=two'), ['Set-Cookie', 'sid=three']), first);
    assert.equal(threads.visitorOf(request('sid=three'), []), first);
    assert.notEqual(threads.visitorOf(request('sid=four'), []), first);
  });

  it('is not tied by an empty or a broken cookie', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request('sid=one'), [
      'Set-Cookie',
      'sid=; Max-Age=0',
      'Set-Cookie',
      '=x',
    ]);
    assert.equal(threads.visitorOf(request('sid=one'), []), first);
    assert.equal(threads.visitorOf(request(), ['Set-Cookie']), null);
  });

  it('is forgotten after 5,000 changed ids, the oldest first', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request('sid=a'), ['Set-Cookie', 'sid=b']);
    assert.equal(threads.visitorOf(request('sid=b'), []), first);
    for (let at = 0; at < 5000; at++) threads.visitorOf(request(`sid=x${at}`), ['Set-Cookie', `sid=y${at}`]);
    assert.notEqual(threads.visitorOf(request('sid=b'), []), first);
    assert.equal(threads.visitorOf(request('sid=a'), []), first);
  });
});
