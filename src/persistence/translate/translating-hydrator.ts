import { mikroOrm } from '../orm/mikro-orm.js';
import type { EntityData, EntityFactory, EntityMetadata, Options } from '@mikro-orm/core';
import { setQuietly } from '../orm/entity-internals.js';
import type { TranslationStates } from '../unit/translation-state.js';

type HydratorConstructor = NonNullable<Options['hydrator']>;
type HydrateArguments<Entity extends object> = [
  entity: Entity,
  meta: EntityMetadata<Entity>,
  data: EntityData<Entity>,
  factory: EntityFactory,
  type: 'full' | 'reference',
  newEntity?: boolean,
  convertCustomTypes?: boolean,
  schema?: string,
  parentSchema?: string,
];

/**
 * Creates a hydrator that keeps translated entities in their language when MikroORM reads their rows again: it notes
 * the row's texts and keeps the texts shown, which are read again at MikroORM's next load event.
 */
export function createTranslatingHydrator(
  Base: HydratorConstructor | undefined,
  states: TranslationStates,
): HydratorConstructor {
  const Parent = (Base ?? mikroOrm.ObjectHydrator) as typeof mikroOrm.ObjectHydrator; // hydrators have the interface of this class
  return class TranslatingHydrator extends Parent {
    override hydrate<Entity extends object>(
      ...[entity, meta, data, ...rest]: HydrateArguments<Entity>
    ): void {
      super.hydrate(entity, meta, data, ...rest);
      const state = states.find(entity);
      if (state === undefined) return;
      const kept = new Map<string, unknown>();
      for (const [field, text] of state.shown) {
        const value: unknown = Reflect.get(data, field);
        if (value === undefined) continue;
        state.base.set(field, value);
        kept.set(field, text);
      }
      setQuietly(entity, kept);
      state.isStale = true;
      mikroOrm.helper(entity).__onLoadFired = false;
    }
  };
}
