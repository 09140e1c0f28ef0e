/** Suppresses warnings that oidc-provider prints when it is loaded in a test; must be imported before it. */
for (const name of ['info', 'warn'] as const) {
  const write = console[name];
  console[name] = (...words: unknown[]) => {
    if (!String(words[0]).includes('oidc-provider ')) write(...words);
  };
}

export {};
