// The toolbar of a page. It is in a shadow root, creates no markup from text, loads only records of its own origin, and uses
// a constructed style sheet, which needs no permission in the page's content security policy.
{
  interface Item {
    readonly title: string;
    readonly words: string;
    readonly tone: string;
    readonly href: string;
  }
  interface Summary {
    readonly state: string;
    readonly status: number;
    readonly word: string;
    readonly tone: string;
    readonly request: string;
    readonly duration: string;
    readonly href: string;
    readonly statusHref: string;
    readonly timeHref: string;
    readonly parts: readonly { readonly words: string; readonly ms: number }[];
    readonly items: readonly Item[];
    readonly facts: readonly { readonly name: string; readonly text: string; readonly href: string }[];
    readonly previous: { readonly token: string; readonly words: string; readonly href: string } | null;
    readonly words: Words;
  }
  /** Texts; in the reader's language after the record was loaded. */
  interface Words {
    readonly list: string;
    readonly hide: string;
    readonly show: string;
    readonly from: string;
    readonly open: string;
    readonly calls: readonly string[];
  }
  interface Call extends FollowedRequest {
    readonly token: string;
    readonly href: string;
  }

  const closedKey = 'lookback.toolbar';
  const maxCalls = 100;

  const script = document.currentScript;
  const place = script instanceof HTMLScriptElement ? (script.dataset['lookback'] ?? '') : '';
  const slash = place.lastIndexOf('/');
  const prefix = place.slice(0, slash);
  const ask = window.fetch.bind(window);
  const calls: Call[] = [];

  const stored = (key: string): string | null => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // a browser without storage
    }
  };

  const store = (key: string, value: string): void => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // no storage: the setting is not remembered
    }
  };

  const token = timedToken(performance.getEntriesByType('navigation')[0]) ?? place.slice(slash + 1);

  type Child = Node | string | null;
  const make = (
    name: string,
    fields: Readonly<Record<string, string>>,
    ...children: readonly Child[]
  ): HTMLElement => {
    const element = document.createElement(name);
    for (const [field, value] of Object.entries(fields)) element.setAttribute(field, value);
    element.append(...children.filter((child) => child !== null));
    return element;
  };

  const toneOf = (status: number): string => {
    if (status >= 500) return 'error';
    if (status >= 400) return 'warn';
    return status >= 300 ? 'info' : 'ok';
  };

  const formatTime = (ms: number): string =>
    ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(toolbarStyles);
  const host = make('lookback-toolbar', {});
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet];
  const theme = stored('lookback.theme');
  if (theme !== null) host.dataset['theme'] = theme;

  const items = make('ul', { class: 'items' });
  const list = make('div', {
    class: 'calls',
    id: 'calls',
    role: 'region',
    tabindex: '0',
  });
  const count = make('button', { type: 'button', 'aria-expanded': 'false', 'aria-controls': 'calls' });
  const close = make('button', { type: 'button' }, '×');
  const strip = make('section', { class: 'strip', 'aria-label': 'lookback' }, items, count, close);
  const dot = make('span', { class: 'dot' });
  const tab = make('button', { type: 'button', class: 'tab' }, dot);
  root.append(list, strip, tab);

  let words: Words = {
    list: 'Requests of this page',
    hide: 'Hide the toolbar',
    show: 'Show the toolbar',
    from: '',
    open: '',
    calls: ['1 request', '{n} requests', '{n} failed'],
  };
  const name = (element: Element, text: string): void => {
    element.setAttribute('aria-label', text);
    element.setAttribute('title', text);
  };
  const speak = (given: Words): void => {
    words = given;
    list.setAttribute('aria-label', words.list);
    name(close, words.hide);
    name(tab, words.show);
  };
  speak(words);

  const showCalls = (): void => {
    const failed = calls.filter(({ status }) => status >= 400 || status === 0).length;
    count.hidden = calls.length === 0;
    count.className = failed > 0 ? 'error' : '';
    const counted = (at: number, n: number): string => (words.calls[at] ?? '').replace('{n}', String(n));
    const all = counted(calls.length === 1 ? 0 : 1, calls.length);
    count.textContent = failed > 0 ? `${all}, ${counted(2, failed)}` : all;
    if (list.hidden) return;
    const rows = calls.map(({ href, status, method, url, ms }) =>
      make(
        'a',
        { href },
        make('b', { class: toneOf(status) }, String(status)),
        make('span', {}, method),
        make('span', { title: url }, url),
        make('span', { class: 'muted' }, formatTime(ms)),
      ),
    );
    list.replaceChildren(...rows.toReversed());
  };

  const openCalls = ({ open }: { open: boolean }): void => {
    list.hidden = !open;
    count.setAttribute('aria-expanded', String(open));
    showCalls();
  };

  const fold = ({ isClosed }: { isClosed: boolean }): void => {
    strip.hidden = isClosed;
    tab.hidden = !isClosed;
    if (isClosed) openCalls({ open: false });
  };

  const note = (
    call: Omit<Call, 'href' | 'token'>,
    named: { token: string | null; link: string | null },
  ): void => {
    if (
      named.token === null ||
      call.url.startsWith(`${prefix}/`) ||
      calls.some(({ token: known }) => known === named.token)
    )
      return;
    const link = named.link ?? '';
    const href = /^https?:\/\//.test(link) ? link : `${prefix}/${encodeURIComponent(named.token)}`;
    calls.push({ ...call, token: named.token, href });
    if (calls.length > maxCalls) calls.shift();
    showCalls();
  };

  const show = (summary: Summary): void => {
    const { status, word, tone, duration, parts, href } = summary;
    speak(summary.words);
    showCalls();
    dot.className = `dot ${tone}`;
    const bar = make('span', {
      class: 'bar',
      role: 'img',
      'aria-label': parts.map(({ words }) => words).join(', '),
    });
    for (const { ms } of parts) bar.appendChild(make('i', {})).style.flexGrow = String(ms);
    const time = make(
      'a',
      { href: summary.timeHref, title: parts.map(({ words }) => words).join('\n') || summary.request },
      duration,
      parts.length > 0 ? bar : null,
    );
    const cells = [
      make(
        'a',
        { href: summary.statusHref, class: tone, title: summary.request },
        make('b', {}, String(status)),
        make('span', { class: 'minor' }, word),
      ),
      time,
      ...summary.items.map((item) =>
        make('a', { href: item.href, class: item.tone, title: item.title }, item.words),
      ),
      ...summary.facts.map((fact) =>
        make(
          'a',
          { href: fact.href, class: 'minor', title: fact.name },
          make('span', { class: 'muted' }, fact.name),
          fact.text,
        ),
      ),
      summary.previous === null
        ? null
        : make(
            'a',
            { href: summary.previous.href, title: words.from },
            make('span', { class: 'muted' }, '↪'),
            summary.previous.words,
          ),
      make('a', { href, class: 'end', title: words.open }, make('code', {}, token)),
    ];
    items.replaceChildren(...cells.filter((cell) => cell !== null).map((cell) => make('li', {}, cell)));
  };

  const load = async (tries: number): Promise<void> => {
    const answer = await ask(`${prefix}/${token}/toolbar`, { cache: 'no-store' });
    const summary = answer.ok ? ((await answer.json()) as Summary) : undefined; // a response of showToolbar
    // The record is completed after the last byte of the page, which may be later than this request.
    if (tries > 0 && (summary === undefined || summary.state === 'unfinished')) {
      setTimeout(() => void load(tries - 1).catch(fail), 150);
      return;
    }
    if (summary === undefined) fail();
    else show(summary);
  };

  const fail = (): void => {
    const link = make(
      'a',
      { href: `${prefix}/${token}` },
      make('span', { class: 'muted' }, 'The record could not be read'),
      make('code', {}, token),
    );
    items.replaceChildren(make('li', {}, link));
  };

  count.addEventListener('click', () => openCalls({ open: list.hidden !== false }));
  close.addEventListener('click', () => {
    store(closedKey, 'closed');
    fold({ isClosed: true });
    tab.focus();
  });
  tab.addEventListener('click', () => {
    store(closedKey, 'open');
    fold({ isClosed: false });
    close.focus();
  });
  root.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== 'Escape' || list.hidden) return;
    openCalls({ open: false });
    count.focus();
  });

  if (window === window.top && document.querySelector('lookback-toolbar') === null) {
    openCalls({ open: false });
    fold({ isClosed: stored(closedKey) === 'closed' });
    followRequests(note);
    document.documentElement.append(host);
    void load(10).catch(fail);
  }
}
