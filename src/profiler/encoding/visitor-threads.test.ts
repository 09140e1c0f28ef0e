import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VisitorThreads } from './visitor-threads.js';

function request(cookie?: string): string[] {
  return ['Host', 'localhost', ...(cookie === undefined ? [] : ['Cookie', cookie])];
}

const setCookie = (text: string): string[] => ['Content-Type', 'text/plain', 'Set-Cookie', text];

describe('visitor threads', () => {
  it('are the same within one session, and different for others', () => {
    const threads = new VisitorThreads();
    const ada = threads.visitorOf(request('theme=dark; session=ada-secret'), []);
    assert.match(ada ?? '', /^[\da-f]{16}$/);
    assert.equal(threads.visitorOf(request('session=ada-secret; theme=light'), []), ada);
    assert.notEqual(threads.visitorOf(request('session=bob-secret'), []), ada);
    assert.notEqual(threads.visitorOf(request('sid=ada-secret'), []), ada);
    assert.notEqual(new VisitorThreads().visitorOf(request('session=ada-secret'), []), ada);
  });

  it('need a cookie with a session name', () => {
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

  it('begin with the response that creates the session', () => {
    const threads = new VisitorThreads();
    const begun = threads.visitorOf(request(), setCookie('session=new; Path=/; HttpOnly'));
    assert.notEqual(begun, null);
    assert.equal(threads.visitorOf(request('session=new'), []), begun);
    assert.equal(threads.visitorOf(request(), setCookie('theme=dark')), null);
    assert.equal(threads.visitorOf(request(), setCookie('session=; Max-Age=0')), null);
  });

  it('continue when a login changes the id, over several changes', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request('session=one'), setCookie('session=two'));
    assert.equal(first, threads.visitorOf(request('session=one'), []));
    assert.equal(threads.visitorOf(request('session=two'), setCookie('SESSION=no; session=x')), first);
    assert.equal(threads.visitorOf(request('session=two'), setCookie('session=three')), first);
    assert.equal(threads.visitorOf(request('session=three'), []), first);
  });

  it('contain no session id, no matter how many have come', () => {
    const threads = new VisitorThreads();
    for (let n = 0; n < 5_100; n++) threads.visitorOf(request(`session=a${n}`), setCookie(`session=b${n}`));
    const secret = threads.visitorOf(request('session=s3cr3t-session'), setCookie('session=s3cr3t-next'));
    assert.ok(secret !== null && !/s3cr3t|session|next/.test(secret), String(secret));
    const latest = threads.visitorOf(request('session=a5099'), []);
    assert.equal(threads.visitorOf(request('session=b5099'), []), latest);
    // The oldest link is forgotten; its later id is then a separate visitor.
    assert.notEqual(
      threads.visitorOf(request('session=b0'), []),
      threads.visitorOf(request('session=a0'), []),
    );
  });
});

describe("a visitor's session", () => {
  it('is the same for the same cookie, and is not the cookie', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request('sid=abc123; theme=dark'), []);
    assert.match(first ?? '', /^[0-9a-f]{16}$/);
    assert.equal(threads.visitorOf(request('theme=light; sid=abc123'), []), first);
    assert.notEqual(threads.visitorOf(request('sid=abc124'), []), first);
    assert.notEqual(threads.visitorOf(request('session=abc123'), []), first);
    assert.notEqual(new VisitorThreads().visitorOf(request('sid=abc123'), []), first);
  });

  it('is null without a session cookie', () => {
    const threads = new VisitorThreads();
    for (const cookie of [undefined, '', 'theme=dark', 'sid=', 'mysid=1', 'sidebar=open', 'x=session'])
      assert.equal(threads.visitorOf(request(cookie), ['Set-Cookie', 'theme=1']), null, cookie);
  });

  it("is recognised by prefixed names and by other platforms' names", () => {
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

  it('survives responses that change the id repeatedly', () => {
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

  it('is not linked by an empty or malformed cookie', () => {
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

  it('is forgotten after 5,000 changed ids, oldest first', () => {
    const threads = new VisitorThreads();
    const first = threads.visitorOf(request('sid=a'), ['Set-Cookie', 'sid=b']);
    assert.equal(threads.visitorOf(request('sid=b'), []), first);
    for (let at = 0; at < 5000; at++) threads.visitorOf(request(`sid=x${at}`), ['Set-Cookie', `sid=y${at}`]);
    assert.notEqual(threads.visitorOf(request('sid=b'), []), first);
    assert.equal(threads.visitorOf(request('sid=a'), []), first);
  });
});
