/** oidc-provider prints warnings about being run for tests. Imported before it: it prints them when it is loaded. */
for (const name of ['info', 'warn'] as const) {
  const write = console[name];
  console[name] = (...words: unknown[]) => {
    if (!String(words[0]).includes('oidc-provider ')) write(...words);
  };
}

export {};
