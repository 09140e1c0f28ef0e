/** Built-in line icons: SVG path data on a 24 × 24 grid, to be stroked, not filled. Panels may define their own. */
export const icons = {
  request: 'M4 8h13m-4-4 4 4-4 4M20 16H7m4 4-4-4 4-4',
  exception: 'M12 4 2.8 20h18.4zM12 10v4.5m0 2.5v.2',
  logs: 'M5 6h14M5 12h14M5 18h9',
  routing: 'M6 3v7a6 6 0 0 0 6 6h7m-4-4 4 4-4 4M3.5 6 6 3l2.5 3',
  events: 'M13 3 5 14h6l-1 7 8-11h-6z',
  time: 'M12 3a9 9 0 1 0 .01 0zM12 7v5l3.5 2',
  config: 'M4 7h9m5 0h2M4 17h2m5 0h9M15.5 4.5v5M8.5 14.5v5',
  database:
    'M5 6c0-1.7 3.1-3 7-3s7 1.3 7 3-3.1 3-7 3-7-1.3-7-3zm0 0v12c0 1.7 3.1 3 7 3s7-1.3 7-3V6M5 12c0 1.7 3.1 3 7 3s7-1.3 7-3',
  security: 'M12 3 5 6v5c0 4.5 2.9 8.1 7 10 4.1-1.9 7-5.5 7-10V6zM9 12l2 2 4-4',
  locale:
    'M12 3a9 9 0 1 0 .01 0zM3 12h18M12 3c2.5 2.6 3.8 5.6 3.8 9s-1.3 6.4-3.8 9c-2.5-2.6-3.8-5.6-3.8-9S9.5 5.6 12 3z',
  panel: 'M4 5h16v14H4zM4 10h16M9 10v9',
  ok: 'M5 12.5 10 17.5 19 7',
  redirect: 'M5 6v6a4 4 0 0 0 4 4h10m-4-4 4 4-4 4',
  warn: 'M12 3a9 9 0 1 0 .01 0zM12 7.5v5.5m0 3v.2',
  info: 'M12 3a9 9 0 1 0 .01 0zM12 11v5.5m0-9v.2',
  error: 'M12 3a9 9 0 1 0 .01 0zM8.8 8.8l6.4 6.4m0-6.4-6.4 6.4',
  pending: 'M12 3a9 9 0 1 0 .01 0zM7.5 12h.2m4.2 0h.2m4.2 0h.2',
  sun: 'M12 8a4 4 0 1 0 .01 0zM12 2.5v2m0 15v2M2.5 12h2m15 0h2M5.3 5.3l1.4 1.4m10.6 10.6 1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  command:
    'M9 9h6v6H9zM9 9H6.5A2.5 2.5 0 1 1 9 6.5zm6 0V6.5A2.5 2.5 0 1 1 17.5 9zm0 6h2.5a2.5 2.5 0 1 1-2.5 2.5zm-6 0v2.5A2.5 2.5 0 1 1 6.5 15z',
  theme: 'M12 3v18M12 3a9 9 0 0 1 0 18M12 3a9 9 0 0 0 0 18',
  search: 'M10.5 4a6.5 6.5 0 1 0 .01 0zM15.5 15.5 20 20',
} as const;
