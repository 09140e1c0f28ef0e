/** Names and values: header fields, parameters. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * Keeps what `make` made of the last pairs: neighbours on a connection mostly send the same header fields, and to compare
 * them costs a fraction of putting them on a page.
 */
export function keepForPairs<Made>(make: (pairs: Pairs) => Made): (pairs: Pairs) => Made {
  let latest: { readonly pairs: Pairs; readonly made: Made } | undefined;
  return (pairs) => {
    if (latest === undefined || !areSame(latest.pairs, pairs)) latest = { pairs, made: make(pairs) };
    return latest.made;
  };
}

function areSame(some: Pairs, others: Pairs): boolean {
  return (
    some.length === others.length &&
    some.every(([name, value], place) => name === others[place]?.[0] && value === others[place]?.[1])
  );
}
