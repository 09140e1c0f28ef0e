// A page's toolbar. It lives in a shadow root, loads only records from its own origin, and uses a constructed style sheet, which needs no
// permission in the page's content security policy.
{
  interface Call extends FollowedRequest {
    readonly href: string;
  }

  const closedKey = 'lookback.toolbar';
  const maxCalls = 100;
  /** Milliseconds until a card closes, so that the pointer can cross the gap. */
  const closeDelay = 200;

  const script = document.currentScript;
  const place = script instanceof HTMLScriptElement ? (script.dataset['lookback'] ?? '') : '';
  const slash = place.lastIndexOf('/');
  // Always on this origin, regardless of `<base href>`.
  const prefix = location.origin + place.slice(0, slash);
  const ownPath = `${place.slice(0, slash)}/`;
  let token = timedToken(performance.getEntriesByType('navigation')[0]) ?? place.slice(slash + 1);
  /** The path of the page shown in the toolbar. */
  let shownPath = location.pathname;
  const calls: Call[] = [];

  const storage = (() => {
    try {
      return localStorage;
    } catch {
      return undefined; // the setting is not remembered
    }
  })();

  const make = (
    name: string,
    fields: Readonly<Record<string, string>>,
    ...children: readonly (Node | string)[]
  ): HTMLElement => {
    const element = document.createElement(name);
    for (const [field, value] of Object.entries(fields)) element.setAttribute(field, value);
    element.append(...children);
    return element;
  };

  const toneOf = (status: number): string => {
    if (status >= 500 || status === 0) return 'error';
    return status >= 400 ? 'warn' : '';
  };

  const formatTime = (ms: number): string =>
    ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(toolbarStyles);
  const host = make('lookback-toolbar', {});
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet];
  const theme = storage?.getItem('lookback.theme');
  if (theme) host.dataset['theme'] = theme;

  let opened: { readonly owner: Element; readonly card: HTMLElement } | undefined;
  let closing: ReturnType<typeof setTimeout> | undefined;

  const hideCard = (): void => {
    clearTimeout(closing);
    if (opened === undefined) return;
    const { owner, card } = opened;
    card.hidden = true;
    owner.classList.remove('is-open');
    owner.querySelector('[aria-expanded]')?.setAttribute('aria-expanded', 'false');
    opened = undefined;
  };

  const showCard = (owner: Element, card: HTMLElement): void => {
    clearTimeout(closing);
    if (opened?.owner === owner) return;
    hideCard();
    card.hidden = false;
    const { left } = owner.getBoundingClientRect();
    if (!card.matches('.calls'))
      card.style.left = `${Math.max(0, Math.min(left, innerWidth - card.offsetWidth))}px`;
    owner.classList.add('is-open');
    opened = { owner, card };
  };

  /** Opens an entry's card on hover and focus, or on the first touch on devices without hover. */
  const followPointer = (card: HTMLElement): void => {
    const owner = card.parentElement ?? card;
    let touched = false;
    owner.addEventListener('pointerenter', ({ pointerType }) => {
      if (pointerType === 'mouse') showCard(owner, card);
    });
    owner.addEventListener('pointerleave', () => {
      clearTimeout(closing);
      if (opened?.owner === owner && !owner.matches(':focus-within'))
        closing = setTimeout(hideCard, closeDelay);
    });
    owner.addEventListener('pointerdown', ({ pointerType }) => {
      touched = pointerType !== 'mouse' && opened?.owner !== owner;
    });
    owner.addEventListener('focusin', () => showCard(owner, card));
    owner.addEventListener('focusout', ({ relatedTarget }) => {
      if (opened?.owner === owner && !(relatedTarget instanceof Node && owner.contains(relatedTarget)))
        hideCard();
    });
    owner.addEventListener('click', (event) => {
      if (touched) event.preventDefault();
      touched = false;
      showCard(owner, card);
    });
  };

  /** Shows the number of requests sent by the page, and lists them; does nothing before the toolbar exists. */
  const showCalls = (): void => {
    const fetches = root.querySelector<HTMLElement>('.fetches');
    if (fetches === null) return;
    const failed = calls.filter(({ status }) => status >= 400 || status === 0).length;
    fetches.hidden = calls.length === 0;
    const count = fetches.querySelector('button');
    count?.replaceChildren(calls.length === 1 ? '1 fetch' : `${calls.length} fetches`);
    if (failed > 0) count?.append(' ', make('span', { class: 'chip error' }, `${failed} failed`));
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
    fetches.querySelector('.sheet')?.replaceChildren(...rows.toReversed());
  };

  const note = (call: FollowedRequest): void => {
    if (call.token === null || call.url.startsWith(ownPath)) return;
    if (calls.some(({ token: known }) => known === call.token)) return;
    const link = call.link ?? '';
    const href = /^https?:\/\//.test(link) ? link : `${prefix}/${encodeURIComponent(call.token)}`;
    calls.push({ ...call, href });
    if (calls.length > maxCalls) calls.shift();
    showCalls();
    followPage();
  };

  /**
   * Follows a page replaced by scripts (Turbo, htmx, Inertia, routers): if its path has changed and one of the last
   * requests was for that path, the toolbar switches to that record.
   */
  const followPage = (): void => {
    const { pathname } = location;
    if (pathname === shownPath) return;
    const at = calls.findLastIndex(({ finalUrl }) => finalUrl.split(/[?#]/, 1)[0] === pathname);
    const next = calls[at]?.token ?? undefined;
    if (next === undefined) return;
    shownPath = pathname;
    token = next;
    calls.splice(0, at + 1);
    if (!host.isConnected) document.documentElement.append(host);
    load(10);
  };

  const followHistory = (): void => {
    for (const name of ['pushState', 'replaceState'] as const)
      // oxlint-disable-next-line typescript/unbound-method -- the proxy passes `this` on
      history[name] = new Proxy(history[name], {
        apply(target, self, args) {
          Reflect.apply(target, self, args);
          queueMicrotask(followPage);
        },
      });
    addEventListener('popstate', () => setTimeout(followPage));
  };

  const fold = ({ isClosed }: { isClosed: boolean }): void => {
    for (const part of root.querySelectorAll<HTMLElement>('.strip, .tab'))
      part.hidden = part.matches('.tab') !== isClosed;
    hideCard();
  };

  const show = (answer: Document): void => {
    root.replaceChildren(...answer.body.children);
    for (const link of root.querySelectorAll('a[href^="/"]'))
      link.setAttribute('href', location.origin + (link.getAttribute('href') ?? ''));
    for (const card of root.querySelectorAll<HTMLElement>('.card')) followPointer(card);
    root.querySelector('.fetches > button')?.addEventListener('click', ({ currentTarget }) => {
      if (currentTarget instanceof Element) currentTarget.setAttribute('aria-expanded', 'true');
    });
    const buttons = root.querySelectorAll<HTMLElement>('.close, .tab');
    for (const [at, button] of buttons.entries())
      button.addEventListener('click', () => {
        const isClosed = at === 0;
        storage?.setItem(closedKey, isClosed ? 'closed' : 'open');
        fold({ isClosed });
        buttons[1 - at]?.focus();
      });
    host.dataset['token'] = token;
    showCalls();
    fold({ isClosed: storage?.getItem(closedKey) === 'closed' });
  };

  /** Requests a document, which the browser parses without needing permission in the page's policy. */
  const load = (tries: number): void => {
    const request = new XMLHttpRequest();
    const asked = token;
    request.open('GET', `${prefix}/${asked}/toolbar`);
    request.responseType = 'document';
    request.onloadend = () => {
      if (asked !== token) return; // another page has replaced it since
      const answer = request.responseXML;
      // The record is completed after the page's last byte, which may be later than this request.
      const isThere = answer !== null && answer.querySelector('[data-state=unfinished]') === null;
      if (tries > 0 && !isThere) setTimeout(() => load(tries - 1), 150);
      else if (answer !== null) show(answer);
    };
    request.send();
  };

  root.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== 'Escape' || opened === undefined) return;
    const { owner } = opened;
    const first = owner.querySelector<HTMLElement>('a, button');
    if (owner.matches(':focus-within')) first?.focus();
    hideCard();
  });

  if (window === window.top && document.querySelector('lookback-toolbar') === null) {
    followRequests(note);
    followHistory();
    const page = token;
    watchPage(
      (url) => url.startsWith(ownPath),
      (report) => {
        // A beacon would hide the page's origin under `Referrer-Policy: no-referrer`.
        const sent = fetch(`${prefix}/${page}/browser`, {
          method: 'POST',
          body: JSON.stringify(report),
          keepalive: true,
          mode: 'same-origin',
          referrerPolicy: 'same-origin',
        });
        sent.catch(() => undefined);
      },
    );
    document.documentElement.append(host);
    load(10);
  }
}
