import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { annotate, attributesOf, defineAttribute } from './attributes.js';

const role = defineAttribute<string>('role');

const note = defineAttribute<number>('note');

describe('attributes', () => {
  it('work as data, as TC39 decorators and as experimental decorators, with one reader', () => {
    const asData = annotate(() => 'x', role.of('editor'), note.of(1));

    @role.on('base')
    class Base {}
    class Controller extends Base {
      @role.on('editor')
      show(): string {
        return 'x';
      }
    }

    class Legacy {
      show(): string {
        return 'x';
      }
    }
    role.on('editor')(Legacy.prototype, 'show', Object.getOwnPropertyDescriptor(Legacy.prototype, 'show'));

    assert.deepEqual(attributesOf(role, asData), ['editor']);
    assert.deepEqual(attributesOf(note, asData), [1]);
    assert.deepEqual(attributesOf(role, Controller.prototype.show, Controller), ['base', 'editor']);
    assert.deepEqual(attributesOf(role, Legacy.prototype.show, Legacy), ['editor']);
  });

  it('are refused on anything but a class or a method', () => {
    const accessor = { get: (): string => 'x', set: undefined };
    class Controller {}
    for (const decorate of [
      () => role.on('x')({}, 'field'),
      () => role.on('x')({}, 'accessor', accessor),
      () => role.on('x')(Controller, 'staticField'),
      () => role.on('x')(Controller, 'staticAccessor', accessor),
      () => role.on('x')(Controller, undefined, 0), // a constructor parameter
      () => role.on('x')(undefined as never, { kind: 'field' }),
      () => role.on('x')(accessor.get, { kind: 'getter' }),
    ])
      assert.throws(decorate, /class or a method/, String(decorate));
    assert.deepEqual([attributesOf(role, Controller), attributesOf(role, accessor.get)], [[], []]);
  });
});
