// Zooms a timeline by dragging over its bars or its picture of the whole, or by buttons. The times in the table do not change.
const zoomSheet = new CSSStyleSheet();
zoomSheet.replaceSync(`.zoom { margin-inline-start: 8px; white-space: nowrap; }
  .zoom button { font: inherit; width: 24px; height: 24px; padding: 0; border: 0; border-radius: 4px; background: none; color: var(--muted); cursor: pointer; } .zoom button:hover { color: var(--text); }
  .is-zoomed .lane svg { width: calc(100% * var(--zoom)) !important; left: calc(100% * var(--pan)) !important; }
  .is-zoomed .map::after { content: ""; position: absolute; inset-block: 0; left: calc(100% * var(--from)); width: calc(100% * var(--part)); border: 1px solid var(--control); border-radius: 4px; }`);
document.adoptedStyleSheets.push(zoomSheet);
for (const timeline of document.querySelectorAll<HTMLElement>('[data-timeline]')) {
  const total = Number(timeline.dataset['timeline']);
  let view = { from: 0, to: 1 };
  let begun: number | undefined;
  let isDrag = false;

  const make = (name: string, values: Record<string, string>, text = ''): SVGElement => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };

  /** Draws labels and lines at round times of what is seen. */
  const drawAxis = (): void => {
    const [start, length] = [view.from * total, (view.to - view.from) * total];
    const magnitude = 10 ** Math.floor(Math.log10(length / 2));
    const step = [5, 2.5, 2, 1].map((digit) => digit * magnitude).find((one) => length / one >= 2) ?? length;
    const marks: number[] = [];
    for (let at = Math.ceil(start / step) * step; at < start + length * 0.94; at += step) marks.push(at);
    const place = (at: number): string => `${((at - start) / length) * 100}%`;
    const figure = (at: number): string => `${Number(at.toPrecision(4))} ms`;
    for (const axis of timeline.querySelectorAll('[data-axis]')) {
      const isGrid = axis.classList.contains('grid');
      axis.replaceChildren(
        ...marks.map((at) =>
          isGrid
            ? make('line', { x1: place(at), x2: place(at), y2: '100%' })
            : make('text', { x: place(at), y: '12' }, figure(at)),
        ),
      );
    }
  };

  const show = (from: number, to: number): void => {
    const width = Math.min(Math.max(to - from, 0.001), 1);
    const start = Math.min(Math.max(from, 0), 1 - width);
    view = { from: start, to: start + width };
    const values = { zoom: 1 / width, pan: -start / width, from: start, part: width };
    for (const [name, value] of Object.entries(values))
      timeline.style.setProperty(`--${name}`, String(value));
    timeline.classList.toggle('is-zoomed', width < 1);
    drawAxis();
  };

  /** Returns the pointer's position as a share of the total time; undefined outside the bars. */
  const placeOf = (event: PointerEvent): number | undefined => {
    const onMap = event.target instanceof Element && event.target.closest('.map') !== null;
    const box = timeline.querySelector(onMap ? '.map' : 'td.track .lane')?.getBoundingClientRect();
    if (box === undefined || event.clientX < box.left || event.clientX > box.right) return undefined;
    const share = (event.clientX - box.left) / box.width;
    return onMap ? share : view.from + share * (view.to - view.from);
  };

  timeline.addEventListener('pointerdown', (event) => {
    isDrag = false;
    begun = event.button === 0 ? placeOf(event) : undefined;
  });
  timeline.addEventListener('pointerup', (event) => {
    const end = placeOf(event);
    if (begun === undefined || end === undefined) return;
    isDrag = Math.abs(end - begun) > (view.to - view.from) / 50;
    if (isDrag) show(Math.min(begun, end), Math.max(begun, end));
  });
  timeline.addEventListener('dragstart', (event) => event.preventDefault());
  timeline.addEventListener(
    'click',
    (event) => {
      if (isDrag) event.preventDefault();
      isDrag = false;
      const button =
        event.target instanceof Element ? event.target.closest<HTMLElement>('[data-zoom]') : null;
      const { from, to } = view;
      const quarter = (to - from) / 4;
      if (button?.dataset['zoom'] === 'in') show(from + quarter, to - quarter);
      if (button?.dataset['zoom'] === 'out') show(from - 2 * quarter, to + 2 * quarter);
      if (button?.dataset['zoom'] === 'left') show(from - quarter, to - quarter);
      if (button?.dataset['zoom'] === 'right') show(from + quarter, to + quarter);
    },
    true,
  );
}
