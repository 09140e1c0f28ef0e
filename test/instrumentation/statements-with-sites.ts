const transactions = [
  'begin insert commit',
  'begin insert commit select',
  'begin update commit',
  'begin delete commit',
  'begin insert commit',
];

/** The output of `ask-mikro-orm`: the kinds of the statements in order, each with its call site. */
export const statementsWithSites: readonly string[] = transactions
  .join(' ')
  .split(' ')
  .map((kind) => `${kind} true`);
