// Enhancements of the profiler's pages if scripts run. Everything works without them.
{
  const keysOffKey = 'lookback.keys.off';

  // Styles of elements that only scripts show.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`dialog { border: 1px solid var(--control); border-radius: var(--radius); background: var(--page); color: var(--text); padding: 18px 22px; max-width: 92vw; }
    dialog::backdrop { background: #0008; }
    .keys .check { display: flex; align-items: center; gap: 8px; } .keys .check input { width: 18px; height: 18px; min-height: 0; margin: 0; }
    .keys dl { display: grid; grid-template-columns: auto 1fr; gap: 6px 18px; margin: 12px 0; }
    .palette { padding: 8px; width: min(40rem, 94vw); margin-top: 12vh; } .palette input { width: 100%; min-height: 40px; font-size: 16px; }
    .palette ul { max-height: 50vh; overflow: auto; margin-top: 6px; } .palette small { color: var(--muted); font-size: 12px; white-space: nowrap; }
    .palette a { display: flex; gap: 12px; justify-content: space-between; padding: 7px 10px; border-radius: 5px; text-decoration: none; outline: none; }
    .palette a:is(:focus, :hover), .palette input:focus + ul li:first-child a { background: var(--surface); }
    .has-pane .page { max-width: 760px; } .pane-close { position: fixed; top: 53px; right: 12px; }
    .pane { position: fixed; inset: 44px 0 0 760px; width: calc(100vw - 760px); height: calc(100vh - 44px); border: 0; border-inline-start: 1px solid var(--line); }`);
  document.adoptedStyleSheets.push(sheet);

  const all = <E extends HTMLElement>(selector: string): E[] => [...document.querySelectorAll<E>(selector)];

  const storage = (() => {
    try {
      return localStorage;
    } catch {
      return undefined; // the setting is not remembered
    }
  })();

  const showLocalTimes = (): void => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const time of document.querySelectorAll('time')) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      time.title = `${time.dateTime} · ${zone}`;
      const { local } = time.dataset;
      const date = local === 'clock' ? {} : ({ dateStyle: 'medium' } as const);
      if (local !== undefined)
        time.textContent = at.toLocaleString(undefined, { ...date, timeStyle: 'medium' });
    }
  };

  /** Formats an age like `formatAge` on the server. */
  const ageOf = (milliseconds: number): string => {
    const seconds = Math.floor(milliseconds / 1_000);
    if (seconds < 2) return 'just now';
    if (seconds < 60) return `${seconds} s ago`;
    if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
    return seconds < 86_400
      ? `${Math.floor(seconds / 3_600)} h ago`
      : `${Math.floor(seconds / 86_400)} d ago`;
  };

  const showAges = (): void => {
    if (document.hidden) return;
    for (const time of document.querySelectorAll<HTMLTimeElement>('time:not([data-local])')) {
      const age = ageOf(Date.now() - Date.parse(time.dateTime));
      const words = time.dataset['age'] === undefined ? age.replace(' ago', '') : age;
      if (time.textContent !== words) time.textContent = words;
    }
  };

  const say = (button: HTMLElement, words: string): void => {
    const label = (button.dataset['label'] ??= button.textContent);
    button.textContent = words;
    button.setAttribute('aria-live', 'polite');
    setTimeout(() => (button.textContent = label), 1500);
  };

  const copy = async (button: HTMLElement): Promise<void> => {
    try {
      const source = button.dataset['copyFrom'];
      const block = button.closest('figure')?.querySelector('code')?.textContent;
      const shown = button.dataset['copy'] ?? block ?? '';
      const text = source === undefined ? shown : await (await fetch(source)).text();
      await navigator.clipboard.writeText(text);
      say(button, 'Copied');
    } catch {
      say(button, 'Not copied');
    }
  };

  const rows = (): HTMLAnchorElement[] => all<HTMLAnchorElement>('[data-row]');

  const moveRow = (step: number): void => {
    const links = rows();
    const at = links.findIndex((link) => link === document.activeElement);
    links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
  };

  /** Marks the focused row for comparison; submits the comparison when two rows are marked. */
  const markRow = (): void => {
    document.activeElement?.closest('tr')?.querySelector<HTMLInputElement>('[name=t]')?.click();
    const marked = all<HTMLInputElement>('[name=t]:checked');
    if (marked.length === 2) marked[0]?.form?.requestSubmit();
  };

  const openDialog = (name: string): void => {
    const dialog = document.querySelector<HTMLDialogElement>(`dialog.${CSS.escape(name)}`);
    if (dialog?.open === false) dialog.showModal();
  };

  /** True after `g`: the next key selects a panel. */
  let going = false;

  const go = (key: string): boolean => {
    going = false;
    document.body.classList.remove('is-going');
    const target = document.querySelector<HTMLElement>(`[data-go="${CSS.escape(key)}"]`);
    target?.click();
    return target !== null;
  };

  const press = (key: string): boolean => {
    if (going) return go(key);
    if (key === 'g') document.body.classList.toggle('is-going', (going = true));
    else if (key === '/') document.querySelector<HTMLElement>('[data-search]')?.focus();
    else if (key === 'j') moveRow(1);
    else if (key === 'k') moveRow(-1);
    else if (key === 'c') markRow();
    else if (key === '?') openDialog('keys');
    else if (/^[1-9]$/.test(key)) document.querySelectorAll<HTMLElement>('.menu a')[Number(key) - 1]?.click();
    else {
      const target = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
      if (target === null) return false;
      target.click();
    }
    return true;
  };

  const typing = (target: EventTarget | null): boolean =>
    target instanceof HTMLElement &&
    target.closest('input, select, textarea, dialog, [contenteditable]') !== null;

  /** Closes every menu except the one clicked in; clicking a menu entry closes that one too. */
  const closeDrops = (inside: Element | null): void => {
    for (const drop of all<HTMLDetailsElement & HTMLElement>('details.drop[open]'))
      if (inside === null || !drop.contains(inside) || inside.closest('li') !== null) drop.open = false;
  };

  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') closeDrops(null);
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      openDialog('palette');
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (storage?.getItem(keysOffKey) === '1' && event.key !== '?') return;
    if (press(event.key)) event.preventDefault();
  });

  addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const button = target?.closest<HTMLElement>('[data-copy], [data-copy-from], [data-copy-block]');
    if (button) void copy(button);
    const opens = target?.closest<HTMLElement>('[data-open]')?.dataset['open'];
    if (opens !== undefined) openDialog(opens);
    closeDrops(target);
    // In the pane, a link to the list opens in the whole window.
    const link = target?.closest('a');
    const list = document.querySelector<HTMLElement>('dialog.palette')?.dataset['list'];
    if (link && window !== top && new URL(link.href).pathname === list) link.target = '_top';
  });

  addEventListener('change', (event) => {
    const box = event.target;
    if (box instanceof HTMLInputElement && box.dataset['keysOff'] !== undefined)
      storage?.setItem(keysOffKey, box.checked ? '1' : '0');
  });

  for (const element of all('[data-scripted], button.copy')) element.hidden = element.dataset['copy'] === '';
  for (const box of all<HTMLInputElement>('[data-keys-off]'))
    box.checked = storage?.getItem(keysOffKey) === '1';
  showLocalTimes();
  setInterval(showAges, 5_000);
  addEventListener('visibilitychange', showAges);
}
