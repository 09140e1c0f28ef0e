import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Session, type SessionUse } from './session.js';

describe('the values of a session', () => {
  it('are returned as they were set, for any keys', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', ''));
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(key, fc.jsonValue()), { selector: ([name]) => name }),
        (entries) => {
          const session = new Session();
          for (const [name, value] of entries) session.set(name, value);
          const { data } = session.serialize();
          const again = new Session(data);
          assert.deepEqual(
            again.keys(),
            entries.map(([name]) => name),
          );
          for (const [name, value] of entries)
            assert.equal(JSON.stringify(again.get(name)), JSON.stringify(value));
          assert.deepEqual(again.serialize(), { data, changed: false });
          assert.equal(({} as Record<string, unknown>)['polluted'], undefined); // no prototype was polluted
        },
      ),
    );
  });

  it('are stored after inner changes, but not after reading only', () => {
    const session = new Session('[["cart",{"items":[1]}],["name","ada"]]');
    assert.equal(session.get('name'), 'ada');
    assert.equal(session.serialize().changed, false);
    session.get<{ items: number[] }>('cart')?.items.push(2);
    assert.deepEqual(session.serialize(), {
      data: '[["cart",{"items":[1,2]}],["name","ada"]]',
      changed: true,
    });
  });

  it('that JSON cannot represent are refused when stored, with their key', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    for (const bad of [circle, 1n, () => 1, Symbol('s'), { toJSON: () => undefined }]) {
      const session = new Session();
      session.set('bad', bad);
      assert.throws(() => session.serialize(), { code: 'SECURITY_SESSION_VALUE', message: /bad/ });
    }
  });

  it('are removed by undefined; a session without values is empty', () => {
    const session = new Session('[["a",1]]');
    assert.ok(session.has('a') && !session.isEmpty);
    session.set('a', undefined);
    assert.ok(!session.has('a') && session.isEmpty);
    assert.deepEqual(session.serialize(), { data: '[]', changed: true });
  });

  it('are empty if the store holds anything else', () => {
    for (const data of ['', 'x', '{}', 'null', '[1,2]', '[[1,2]]', '[["a"', '[{"a":1}]', '[[["a"],1]]'])
      assert.deepEqual(new Session(data).keys(), [], data);
    assert.deepEqual(new Session('[["a",1],5,["b"]]').keys(), ['a', 'b']);
  });

  it('cannot be written after they were stored, but still be read', () => {
    const session = new Session('[["a",1]]');
    session.close();
    assert.equal(session.get('a'), 1);
    for (const write of [
      () => session.set('a', 2),
      () => session.delete('a'),
      () => session.flash('info', 'x'),
      () => session.regenerate(),
      () => session.invalidate(),
    ])
      assert.throws(write, { code: 'SECURITY_SESSION_CLOSED' });
  });
});

describe("a session's id", () => {
  it('changes by regenerate and invalidate', () => {
    const wantsNewId = (work: (session: Session) => void): boolean => {
      const session = new Session('[["a",1]]');
      work(session);
      return session.wantsNewId;
    };
    assert.equal(
      wantsNewId((session) => session.set('a', 2)),
      false,
    );
    assert.equal(
      wantsNewId((session) => session.regenerate()),
      true,
    );
    assert.equal(
      wantsNewId((session) => session.invalidate()),
      true,
    );
  });
});

describe('flash messages', () => {
  it('are read once, oldest first, by kind', () => {
    const session = new Session();
    session.flash('success', 'Saved.');
    session.flash('error', 'Not sent.');
    session.flash('success', 'Saved again.');
    const next = new Session(session.serialize().data);
    assert.deepEqual(next.takeFlashes('success'), ['Saved.', 'Saved again.']);
    assert.deepEqual(next.takeFlashes('success'), []);
    assert.deepEqual(new Session(next.serialize().data).takeFlashes('error'), ['Not sent.']);
    next.takeFlashes('error');
    assert.ok(next.isEmpty, 'the flashes are gone');
  });

  it('of all kinds are taken together, oldest first in each, and once', () => {
    const session = new Session();
    session.flash('success', 'Saved.');
    session.flash('__proto__', 'kept apart');
    session.flash('success', 'Saved again.');
    const next = new Session(session.serialize().data);
    const all = next.takeFlashes();
    assert.deepEqual(Object.entries(all), [
      ['success', ['Saved.', 'Saved again.']],
      ['__proto__', ['kept apart']],
    ]);
    assert.deepEqual(Object.keys(next.takeFlashes()), []);
    assert.ok(next.isEmpty, 'the flashes are gone');
  });

  it('work with kinds named like JavaScript properties', () => {
    const session = new Session();
    for (const kind of ['__proto__', 'constructor', 'toString']) {
      assert.deepEqual(session.takeFlashes(kind), []);
      session.flash(kind, 'x');
    }
    const next = new Session(session.serialize().data);
    for (const kind of ['__proto__', 'constructor', 'toString'])
      assert.deepEqual(next.takeFlashes(kind), ['x'], kind);
  });

  it('are limited to the last twenty per kind', () => {
    const session = new Session();
    for (let count = 0; count < 30; count++) session.flash('info', String(count));
    const kept = session.takeFlashes('info');
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [20, '10', '29']);
  });
});

describe('session messages for subscribers', () => {
  /** The messages published during the work: operation and key. */
  const uses = (work: () => void): string[] => {
    const seen: string[] = [];
    const note = (use: unknown): void => {
      const { operation, key } = use as SessionUse;
      seen.push(`${operation} ${key}`);
    };
    const used = channel('lookback:security:session');
    used.subscribe(note);
    try {
      work();
    } finally {
      used.unsubscribe(note);
    }
    return seen;
  };

  it("report each value that the application reads or writes, and none of security's own", () => {
    const session = new Session('[["a",1]]');
    const seen = uses(() => {
      session.get('a');
      session.has('b');
      session.set('c', 1);
      session.delete('a');
      session.get('_security_main');
      session.set('_security_main', 1);
      session.invalidate();
    });
    assert.deepEqual(seen, ['read a', 'read b', 'write c', 'write a', 'write *']);
  });

  it("report security's changes when stored: the id and the signed-in user", () => {
    const session = new Session('[["_security_a",1],["_security_b",{"x":1}],["_security_c",1],["own",1]]');
    session.delete('_security_a');
    session.set('_security_b', { x: 2 });
    session.set('_security_c', 1);
    session.set('_security_d', 1);
    session.set('own', 2);
    session.set('x_security', 2);
    session.regenerate();
    assert.deepEqual(
      uses(() => session.close()),
      ['id changed ', 'removed _security_a', 'changed _security_b', 'stored _security_d'],
    );
    assert.deepEqual(
      uses(() => new Session('[["_security_a",1]]').close()),
      [],
    );
  });
});
