import { persistenceErrors } from '../orm/error-codes.js';
import type { ActorUser, SlugOptions, SoftDeleteableOptions, TrackRule } from './behaviours.js';
import { addBehaviours } from './define-behaviours.js';
import type { AnyBehaviours } from './define-behaviours.js';

// Without this symbol, compiled TC39 decorators get no metadata object that can later be found from the class.
if (Reflect.get(Symbol, 'metadata') === undefined) {
  Object.defineProperty(Symbol, 'metadata', {
    value: Symbol.for('Symbol.metadata'),
    configurable: true,
    writable: true,
  });
}

/**
 * Decorator for fields in both proposals: TC39 (`undefined, context`) and `experimentalDecorators` (`prototype, name`).
 */
export type FieldDecorator = (target: unknown, place: unknown) => void;

type Moment<Fact> = 'create' | 'update' | TrackRule<Fact>;
type Row = Record<string, unknown>;

/** Gives the field a value for each language, which is read and written in the language of the request. */
export function translatable(options: { readonly fallback?: boolean } = {}): FieldDecorator {
  return onField('translatable', (field) => ({ translatable: { ...options, fields: [field] } }));
}

/** Stores the field in versions. */
export function versioned(): FieldDecorator {
  return onField('versioned', (field) => ({ loggable: { fields: [field] } }));
}

/** Sets the field to the time of creation, of the last write, or of a change. */
export function timestampable(rule: Moment<Date>): FieldDecorator {
  return onField('timestampable', (field) => ({ timestampable: { [field]: rule } }));
}

/** Sets the field to the acting user. */
export function blameable(rule: Moment<ActorUser>): FieldDecorator {
  return onField('blameable', (field) => ({ blameable: { [field]: rule } }));
}

/** Sets the field to the acting user's network address. */
export function ipTraceable(rule: Moment<string>): FieldDecorator {
  return onField('ipTraceable', (field) => ({ ipTraceable: { [field]: rule } }));
}

/** Makes the field the date from which the entity counts as removed. */
export function softDeleteable(options: Omit<SoftDeleteableOptions<Row>, 'field'> = {}): FieldDecorator {
  return onField('softDeleteable', (field) => ({ softDeleteable: { ...options, field } }));
}

/** Builds the field from the text of others, in a form that fits a URL. */
export function sluggable(options: SlugOptions<Row>): FieldDecorator {
  return onField('sluggable', (field) => ({ sluggable: { [field]: options } }));
}

function onField(decorator: string, behaviours: (field: string) => AnyBehaviours): FieldDecorator {
  return (target, place) => {
    if (typeof place === 'string' && typeof target === 'object' && target !== null) {
      addBehaviours(target.constructor, behaviours(place));
      return;
    }
    const { name, metadata } = Object(place) as { name?: unknown; metadata?: unknown }; // a decorator context, otherwise refused below
    if (typeof name !== 'string' || typeof metadata !== 'object' || metadata === null) {
      throw persistenceErrors.create('PERSISTENCE_DECORATOR_PLACE', { decorator });
    }
    addBehaviours(metadata, behaviours(name));
  };
}
