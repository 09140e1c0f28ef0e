/**
 * Calls `make`, and the errors made in it hold no calls: V8 walks the stack for each error, which takes ten times as long as
 * all else about it. For outcomes that are no incident, where nobody is shown the stack.
 */
export function withoutStack<Made>(make: () => Made): Made {
  const { stackTraceLimit } = Error;
  // By Reflect: where the built-ins are frozen the stack is taken, and nothing is thrown.
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return make();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}
