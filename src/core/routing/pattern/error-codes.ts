import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';

/** Error codes for paths, definitions and generated URLs. */
const table = {
  ROUTING_BAD_PATTERN: {
    message: 'The {what} of route "{route}" cannot be read: {problem}.\n{underlined}',
    fix: '{hint}',
  },
  ROUTING_BAD_REQUIREMENT: {
    message: 'The requirement of "{variable}" in route "{route}" {problem}.\n{underlined}',
    fix: 'Write a plain expression such as \\d+ or [a-z0-9-]+ without lookbehinds, backreferences and flags; Requirement has ready-made ones.',
  },
  ROUTING_BAD_DEFINITION: {
    message: 'Route "{route}" cannot be added: {problem}.',
    fix: '{hint}',
  },
  ROUTING_DUPLICATE_NAME: {
    message: 'Route "{route}" ({definition}) cannot be added: the route of {owner} already has this name.',
    fix: 'Give one of them another name, or leave the name out; to replace a route, remove it first.',
  },
  ROUTING_MISSING_LOCALES: {
    message:
      'Route "{route}" and its group do not have paths for the same locales: one of them lacks {locales}.',
    fix: 'Add the missing paths to the route or to its group.',
  },
  ROUTING_UNKNOWN_ROUTE: {
    message: 'No URL can be generated for "{route}": there is no route with that name.{nearest}',
    fix: 'Check the name; "lookback routes" lists all of them.',
  },
  ROUTING_MISSING_PARAMETERS: {
    message: 'No URL can be generated for route "{route}": {names} must be passed.',
    fix: 'Pass a value for each of them, or give the variable a default.',
  },
  ROUTING_PARAMETER_MISMATCH: {
    message:
      'No URL can be generated for route "{route}": "{variable}" must match {requirement}, but {value} was given.',
    fix: 'Pass a value that matches the whole requirement.',
  },
  ROUTING_UNSAFE_URL: {
    message: 'No URL can be generated for route "{route}": {problem}.',
    fix: 'Check where the values come from; a generated URL never leaves its site.',
  },
  ROUTING_MALFORMED_PATH: {
    message: 'The path of the request cannot be decoded: {problem}.',
    fix: 'Send each octet outside the unreserved characters as % and two hexadecimal digits, as UTF-8 (RFC 3986).',
  },
} as const;

export const routingErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
