/** Names that drivers and mappers give to the list of a statement's values. */
export const sqlParameters: ReadonlySet<string> = new Set([
  'params',
  'parameters',
  'bindings',
  'values',
  'args',
]);
