/** Facts declared on controllers: written as data, as TC39 decorator or as legacy decorator, read in one way. */
export { defineAttribute } from './attributes/define-attribute.js';
export type { Attribute, AttributeDecorator, AttributeType } from './attributes/attribute.js';
export { annotate, attributesOf } from './attributes/attribute-registry.js';
