import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EntitySchema } from '@mikro-orm/core';
import {
  behavioursOf,
  blameable,
  defineBehaviours,
  timestampable,
  translatable,
  versioned,
} from './define-behaviours.js';

const expected = {
  translatable: { fields: ['title', 'slug'] },
  loggable: { fields: ['title'] },
  timestampable: { at: 'create' },
  blameable: { by: { on: 'update' } },
};

describe('behaviours', () => {
  it('are the same as data, as TC39 decorators and as legacy decorators', () => {
    class Data {
      title = '';
      slug = '';
      at = '';
      by = '';
    }
    defineBehaviours<Data>(Data, {
      translatable: { fields: ['title', 'slug'] },
      loggable: { fields: ['title'] },
      timestampable: { at: 'create' },
      blameable: { by: { on: 'update' } },
    });

    class Decorated {
      @translatable() @versioned() title = '';
      @translatable() slug = '';
      @timestampable('create') at = '';
      @blameable({ on: 'update' }) by = '';
    }

    class Legacy {}
    for (const [decorator, field] of [
      [translatable(), 'title'],
      [versioned(), 'title'],
      [translatable(), 'slug'],
      [timestampable('create'), 'at'],
      [blameable({ on: 'update' }), 'by'],
    ] as const) {
      decorator(Legacy.prototype, field);
    }

    for (const entity of [Data, Decorated, Legacy])
      assert.deepEqual(behavioursOf(entity), expected, entity.name);
  });

  it('are inherited and added to, without changing the parent', () => {
    class Base {
      @timestampable('create') made = '';
    }
    class Child extends Base {
      @timestampable('update') changed = '';
    }
    defineBehaviours<Child>(Child, { loggable: true });
    assert.deepEqual(behavioursOf(Base), { timestampable: { made: 'create' } });
    assert.deepEqual(behavioursOf(Child), {
      timestampable: { made: 'create', changed: 'update' },
      loggable: true,
    });
    assert.equal(behavioursOf(class Other {}), undefined);
  });

  it('stay with a schema that names no class', () => {
    const schema = defineBehaviours(
      new EntitySchema<{ id: number; at: Date }>({
        name: 'Nameless',
        properties: { id: { type: 'integer', primary: true }, at: { type: 'Date' } },
      }),
      { timestampable: { at: 'create' } },
    );
    assert.deepEqual(behavioursOf(schema.meta.class), { timestampable: { at: 'create' } });
  });

  it('are checked by the compiler', () => {
    class Checked {
      title = '';
    }
    // @ts-expect-error: no such field
    defineBehaviours<Checked>(Checked, { translatable: { fields: ['titel'] } });
    // @ts-expect-error: no such field
    defineBehaviours<Checked>(Checked, { timestampable: { made: 'create' } });
    // @ts-expect-error: no such moment
    defineBehaviours<Checked>(Checked, { blameable: { title: 'delete' } });
  });

  it('refuses a decorator that stands nowhere', () => {
    assert.throws(() => translatable()(undefined, { name: Symbol('x') }), {
      code: 'PERSISTENCE_DECORATOR_PLACE',
    });
    assert.throws(() => translatable()(class {}, undefined), { code: 'PERSISTENCE_DECORATOR_PLACE' });
  });
});
