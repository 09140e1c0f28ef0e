import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EntitySchema } from '@mikro-orm/core';
import { behavioursOf, defineBehaviours } from './define-behaviours.js';

describe('behaviours', () => {
  it('are inherited and extended, without changing the parent', () => {
    class Base {
      made = '';
    }
    class Child extends Base {
      changed = '';
    }
    defineBehaviours<Base>(Base, { timestampable: { made: 'create' } });
    defineBehaviours<Child>(Child, { timestampable: { changed: 'update' } });
    defineBehaviours<Child>(Child, { loggable: true });
    assert.deepEqual(behavioursOf(Base), { timestampable: { made: 'create' } });
    assert.deepEqual(behavioursOf(Child), {
      timestampable: { made: 'create', changed: 'update' },
      loggable: true,
    });
    assert.equal(behavioursOf(class Other {}), undefined);
  });

  it('stay with a schema without a class', () => {
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
});
