// What the pages of the profiler gain where a script may run. Everything works without it.
{
  const KEYS_OFF = 'lookback.keys.off';

  const all = <E extends HTMLElement>(selector: string): E[] => [...document.querySelectorAll<E>(selector)];

  const remember = (key: string, value: string): void => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // a browser without storage keeps nothing
    }
  };

  const recall = (key: string): string | null => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };

  const showLocalTimes = (): void => {
    const format = new Intl.DateTimeFormat(undefined, {
      dateStyle: 'medium',
      timeStyle: 'medium',
    });
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-local]')) {
      const date = new Date(time.dateTime);
      if (Number.isNaN(date.getTime())) continue;
      time.title = `${time.dateTime} · ${zone}`;
      if (time.dataset['local'] === '') time.textContent = format.format(date);
    }
  };

  /** As `formatAge` words it on the server. */
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
    for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-local="title"]')) {
      const words = ageOf(Date.now() - Date.parse(time.dateTime));
      if (time.textContent !== words) time.textContent = words;
    }
  };

  /** What buttons are called that say something else just now, and what ends that. */
  const saying = new Map<HTMLElement, { readonly label: string; readonly timer: number }>();

  const say = (button: HTMLElement, words: string): void => {
    const before = saying.get(button);
    clearTimeout(before?.timer);
    const label = before?.label ?? button.textContent;
    button.textContent = words;
    button.setAttribute('aria-live', 'polite');
    const stop = (): void => {
      button.textContent = label;
      saying.delete(button);
    };
    saying.set(button, { label, timer: setTimeout(stop, 1500) });
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

  const openKeys = (): void => document.querySelector<HTMLDialogElement>('dialog.keys')?.showModal();

  const press = (key: string): boolean => {
    if (key === '/') document.querySelector<HTMLElement>('[data-search]')?.focus();
    else if (key === 'j') moveRow(1);
    else if (key === 'k') moveRow(-1);
    else if (key === '?') openKeys();
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

  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (recall(KEYS_OFF) === '1' && event.key !== '?') return;
    if (press(event.key)) event.preventDefault();
  });

  addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const button = target?.closest<HTMLElement>('[data-copy], [data-copy-from], [data-copy-block]');
    if (button) void copy(button);
    if (target?.closest('[data-keys]')) openKeys();
  });

  addEventListener('change', (event) => {
    const box = event.target;
    if (box instanceof HTMLInputElement && box.dataset['keysOff'] !== undefined)
      remember(KEYS_OFF, box.checked ? '1' : '0');
  });

  addEventListener('beforeprint', () => {
    for (const fold of all<HTMLDetailsElement & HTMLElement>('details')) fold.open = true;
  });

  for (const element of all('[data-scripted], button.copy')) element.hidden = element.dataset['copy'] === '';
  for (const box of all<HTMLInputElement>('[data-keys-off]')) box.checked = recall(KEYS_OFF) === '1';
  showLocalTimes();
  setInterval(showAges, 5_000);
  addEventListener('visibilitychange', showAges);
}
