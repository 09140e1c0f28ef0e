import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';

/** Error codes for paths, definitions and generated URLs. */
const table = {
  ROUTING_BAD_PATTERN: {
    message: 'The {what} of route "{route}" is invalid: {problem}.\n{underlined}',
    fix: '{hint}',
  },
  ROUTING_BAD_REQUIREMENT: {
    message: 'The requirement for "{variable}" in route "{route}" {problem}.\n{underlined}',
    fix: 'Use a plain expression such as \\d+ or [a-z0-9-]+, without lookbehinds, backreferences or flags. Requirement has ready-made ones.',
  },
  ROUTING_BAD_DEFINITION: {
    message: 'Route "{route}" cannot be added: {problem}.',
    fix: '{hint}',
  },
  ROUTING_DUPLICATE_NAME: {
    message: 'Route "{route}" ({definition}) cannot be added: the route of {owner} already has this name.',
    fix: 'Rename one of them, or omit the name. To replace a route, remove it first.',
  },
  ROUTING_MISSING_LOCALES: {
    message:
      'Route "{route}" and its group do not have paths for the same locales: one of them lacks {locales}.',
    fix: 'Add the missing paths to the route or to its group.',
  },
  ROUTING_UNKNOWN_ROUTE: {
    message: 'No URL can be generated for "{route}": no route has that name.{nearest}',
    fix: 'Check the name; "lookback routes" lists all routes.',
  },
  ROUTING_MISSING_PARAMETERS: {
    message: 'No URL can be generated for route "{route}": {names} must be passed.',
    fix: 'Pass a value for each of them, or give the variables defaults.',
  },
  ROUTING_PARAMETER_MISMATCH: {
    message:
      'No URL can be generated for route "{route}": "{variable}" must match {requirement}, but {value} was given.',
    fix: 'Pass a value that matches the whole requirement.',
  },
  ROUTING_UNSAFE_URL: {
    message: 'No URL can be generated for route "{route}": {problem}.',
    fix: 'Check where the values come from; generated URLs always stay on the site.',
  },
  ROUTING_MALFORMED_PATH: {
    message: 'The request path cannot be decoded: {problem}.',
    fix: 'Percent-encode every UTF-8 octet outside the unreserved characters (RFC 3986).',
  },
} as const;

export const routingErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
