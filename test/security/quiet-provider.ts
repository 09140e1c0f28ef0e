/** What oidc-provider says of being run for tests is no line of theirs. Imported before it: it speaks as it is loaded. */
for (const name of ['info', 'warn'] as const) {
  const write = console[name];
  console[name] = (...words: unknown[]) => {
    if (!String(words[0]).includes('oidc-provider ')) write(...words);
  };
}

export {};
