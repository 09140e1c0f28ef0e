/** Facts declared on controllers: as data, as TC39 decorators or as legacy decorators, all read in one way. */
export { defineAttribute, annotate, attributesOf } from './attributes/attribute.js';
export type { Attribute, AttributeDecorator, AttributeType } from './attributes/attribute.js';
