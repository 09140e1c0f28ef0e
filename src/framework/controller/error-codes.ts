import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';

const table = {
  CONTROLLER_NOT_CALLABLE: {
    message: 'The controller for the route {route} is not callable: its type is {what}.',
    fix: 'Pass a function, a class with a handle method, or [Class, "method"].',
  },
  CONTROLLER_NO_METHOD: {
    message: 'The controller class {class} has no method "{method}".',
    fix: 'Use one of its methods: {methods}.',
  },
  CONTROLLER_ARGUMENT_FAILED: {
    message: 'The controller argument "{argument}" could not be resolved.',
    fix: 'See the cause. Give the argument a default, or use a different resolver.',
  },
  CONTROLLER_ROUTE_PARAMETER: {
    message:
      'The controller reads the route parameter "{name}", but the route {route} has no such parameter.',
    fix: 'Use one of its parameters: {names}.',
  },
  CONTROLLER_PARAMETER_INVALID: { message: 'Invalid route parameter "{name}": "{value}".' },
  CONTROLLER_PARAMETERS_INVALID: { message: 'Invalid route parameters: {violations}' },
  CONTROLLER_RESPONSE_INVALID: {
    message:
      'The controller {controller} returned a value that does not match its response schema: {violations}',
    fix: 'Return a value that the schema accepts, or correct the schema.',
  },
  CONTROLLER_BAD_STATUS: {
    message: 'A controller declares the status {status}, which is not a valid response status.',
    fix: 'Use a whole number from 200 to 599.',
  },
  CONTROLLER_RESPONSE_WITHOUT_CONTENT: {
    message: 'A controller has a response schema, but its status {status} does not allow content.',
    fix: 'Remove the response schema and return nothing, or choose a status that allows content, such as 200.',
  },
  CONTROLLER_CONTENT_LOST: {
    message: 'The controller {controller} returned {what}, but its status {status} does not allow content.',
    fix: 'Return nothing, or choose a status that allows content, such as 200.',
  },
  CONTROLLER_QUERY_MISSING: { message: 'Missing query parameter "{name}".' },
  CONTROLLER_QUERY_INVALID: { message: 'Invalid query parameter "{name}".' },
  CONTROLLER_NO_CONTENT: { message: 'The request has no body.' },
  CONTROLLER_CONTENT_TYPE: { message: 'Unsupported media type "{given}"; send {expected}.' },
} as const;

export const controllerErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
