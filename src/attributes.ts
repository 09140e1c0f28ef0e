/** Attributes of controllers, declared as data, as TC39 decorators or as legacy decorators, and read in one way. */
export { defineAttribute, annotate, attributesOf } from './attributes/attribute.js';
export type { Attribute, AttributeDecorator, AttributeType } from './attributes/attribute.js';
