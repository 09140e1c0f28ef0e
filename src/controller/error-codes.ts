import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  CONTROLLER_NOT_CALLABLE: {
    message: 'The controller of the route {route} is {what}, which cannot be called.',
    fix: 'Give a function, a class with a handle method, or [Class, "method"].',
  },
  CONTROLLER_NO_METHOD: {
    message: 'The controller class {class} has no method "{method}".{hint}',
    fix: 'Name one of its methods: {methods}.',
  },
  CONTROLLER_ARGUMENT_FAILED: {
    message: 'The argument "{argument}" of the controller {controller} could not be resolved.',
    fix: 'See the cause; give the argument a default or another resolver.',
  },
} as const;

/** What can be wrong with a controller. */
export const controllerErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
