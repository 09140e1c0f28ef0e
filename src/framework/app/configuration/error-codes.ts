import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';

const table = {
  CONFIG_INCOMPLETE_TLS: {
    message: '{given} is set but {missing} is not.',
    fix: 'Set both TLS_CERT and TLS_KEY (paths to PEM files) for HTTPS, or neither for HTTP.',
  },
  CONFIG_PUBLIC_DEBUG: {
    message: 'Debug output would be reachable from other machines: APP_DEBUG is on and HOST is "{host}".',
    fix: 'Set APP_ENV=prod or HOST=127.0.0.1. If this is intended, set APP_DEBUG_PUBLIC=1.',
  },
  FRAMEWORK_ROUTE_WITHOUT_CONTROLLER: {
    message: 'The route "{path}" has no controller.',
    fix: 'Add one: a function, a class with a handle method, or [Class, "method"].',
  },
  FRAMEWORK_NOT_AN_EXTENSION: {
    message: 'The {option} option of createApp() contains a value that is not an extension.',
    fix: 'Pass the return value of a function such as createSecurity(…) or cors(), not the function itself or its options.',
  },
  FRAMEWORK_NO_ROUTES_DECLARED: {
    message: 'The class {class} was registered but declares no routes.',
    fix: 'Add @Route("/path") to at least one of its methods.',
  },
  FRAMEWORK_DUPLICATE_COMMAND: {
    message: 'A command named "{name}" already exists.',
    fix: 'Choose a different name for this one.',
  },
  FRAMEWORK_LISTENING_TWICE: {
    message: 'The application is already listening at {url}.',
    fix: 'Close it first, or create a second application.',
  },
  FRAMEWORK_SERVED_BY_COMMAND: {
    message: 'A lookback command loaded a module that starts the server when it is imported.',
    fix: 'Move serve() to a separate file, like src/main.ts in a project created by "lookback new". In package.json, set lookback.app to the file that creates the application.',
  },
  FRAMEWORK_BAD_REQUEST: {
    message: 'The arguments of app.fetch() describe no valid request: {reason}',
    fix: 'Pass a path such as "/articles?page=2", an http(s) URL or a Request, and options as for fetch().',
  },
  FRAMEWORK_EXTENSION_LATE: {
    message:
      'The extension {name} was added too late: it has collectors or panels, or it has a started() hook and the application has already started.',
    fix: 'Pass it to createApp() in the extensions option.',
  },
} as const;

export const frameworkErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
