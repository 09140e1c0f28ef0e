/** Where the known steps stand in their stages. Higher comes first; an application's own listeners are at 0. */
export const kernelPriority = {
  request: {
    requestId: 512,
    validate: 256,
    persistenceBefore: 192,
    router: 32,
    locale: 16,
    rewrite: 14,
    persistenceAfter: 10,
    firewall: 8,
  },
  controllerArguments: { isGranted: -20 },
  view: { result: -128 },
  response: {
    rememberMe: 0,
    contentLanguage: -10,
    session: -100,
    robots: -255,
    requestId: -256,
    debugToken: -512,
  },
  exception: { persistence: 8192, recording: 4096, security: 1, log: -64, errorPage: -128 },
  terminate: { persistence: -512 },
} as const;
