// A separate file, because programs that only load the flag need nothing else in this module.

/** Environment variables, usually `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The environments; any other name means production. */
export type Environment = 'dev' | 'test' | 'prod';

/**
 * Returns the environment from `APP_ENV`, otherwise `NODE_ENV`; without both, `test` under Node's test runner, else
 * `dev`.
 */
export function environmentOf(variables: Variables): Environment {
  const name = trimmedText(variables, 'APP_ENV') ?? trimmedText(variables, 'NODE_ENV');
  if (name === undefined) return variables['NODE_TEST_CONTEXT'] === undefined ? 'dev' : 'test';
  if (name === 'test') return 'test';
  return name === 'dev' || (name === 'development' && !trimmedText(variables, 'APP_ENV')) ? 'dev' : 'prod';
}

/** Reads a boolean variable; undefined if it is not set, null if it is anything else. */
export function flagOf(variables: Variables, name: string): boolean | null | undefined {
  const word = trimmedText(variables, name)?.toLowerCase();
  if (word === undefined) return undefined;
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  return ['0', 'false', 'no', 'off'].includes(word) ? false : null;
}

/**
 * Returns the variable that prevents recording; empty if recording was switched off, undefined if nothing prevents it.
 */
export function whyNotRecorded(variables: Variables): string | undefined {
  const isAsked = flagOf(variables, 'LOOKBACK');
  if (isAsked === false || trimmedText(variables, 'PROFILER_STORE') === 'off') return '';
  if (isAsked === true || environmentOf(variables) !== 'prod') return undefined;
  const name = trimmedText(variables, 'APP_ENV') === undefined ? 'NODE_ENV' : 'APP_ENV';
  return `${name} is ${variables[name] ?? ''}`;
}

/**
 * Returns whether this is the first cluster worker, or none: other workers would repeat what it reports. Node itself
 * loads the module in each worker, so that it need not be loaded elsewhere.
 */
export function isFirstWorker(): boolean {
  const { moduleLoadList } = process as { moduleLoadList?: readonly string[] }; // missing in Node's types
  if (moduleLoadList?.includes('NativeModule cluster') === false) return true;
  const { worker } = process.getBuiltinModule('cluster') as { worker?: { readonly id: number } }; // Node's types describe the ECMAScript module
  return (worker?.id ?? 1) === 1;
}

export function trimmedText(variables: Variables, name: string): string | undefined {
  const text = variables[name]?.trim();
  return text === '' ? undefined : text;
}
