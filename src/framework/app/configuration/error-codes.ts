import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';

const table = {
  CONFIG_INCOMPLETE_TLS: {
    message: '{given} is set but {missing} is not.',
    fix: 'HTTPS needs both TLS_CERT and TLS_KEY (paths of PEM files); HTTP needs neither.',
  },
  CONFIG_PUBLIC_DEBUG: {
    message: 'Debug output would be reachable from outside: APP_DEBUG is on and HOST is "{host}".',
    fix: 'Set APP_ENV=prod, or HOST=127.0.0.1, or confirm that this is intended with APP_DEBUG_PUBLIC=1.',
  },
  FRAMEWORK_ROUTE_WITHOUT_CONTROLLER: {
    message: 'The route "{path}" has no controller.',
    fix: 'Add one: a function, a class with a handle method, or [Class, "method"].',
  },
  FRAMEWORK_NOT_AN_EXTENSION: {
    message: 'The option {option} of createApp() holds something that is not an extension.',
    fix: 'Pass what a function that creates extensions returns, such as createSecurity(…) or cors(), not its options or the function itself.',
  },
  FRAMEWORK_NO_ROUTES_DECLARED: {
    message: 'The class {class} was registered but declares no route.',
    fix: 'Put @Route("/path") on at least one of its methods.',
  },
  FRAMEWORK_DUPLICATE_COMMAND: {
    message: 'The command "{name}" already exists.',
    fix: 'Choose another name for this one.',
  },
  FRAMEWORK_LISTENING_TWICE: {
    message: 'The application is already listening at {url}.',
    fix: 'Close it first, or create a second application.',
  },
  FRAMEWORK_SERVED_BY_COMMAND: {
    message: 'A command of lookback has loaded a program that serves as soon as it is loaded.',
    fix: 'Move serve() to a file of its own, as "lookback new" does (src/main.ts), and name the file that creates the application as "app" of "lookback" in package.json.',
  },
  FRAMEWORK_EXTENSION_LATE: {
    message:
      'The extension {name} is added too late: it has collectors or panels, or started() of an application that has started.',
    fix: 'Pass it to createApp in the option extensions.',
  },
} as const;

export const frameworkErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
