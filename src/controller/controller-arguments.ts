import type { AttributeType } from '#attributes';
import { defineAttribute } from '#attributes';
import type { ValueResolver } from './value-resolver.js';

/** The arguments of a controller, declared on it: `@controllerArguments.on([routeParameter('id')])`. */
export const controllerArguments: AttributeType<readonly ValueResolver[]> =
  defineAttribute<readonly ValueResolver[]>('arguments');
