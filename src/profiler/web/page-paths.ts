/** Method, path and requirements by route name, in matching order. */
export const pagePaths = {
  _profiler_home: ['GET', '', {}],
  _profiler_routes: ['GET', 'routes', {}],
  _profiler_live: ['GET', 'live', {}],
  _profiler_errors: ['GET', 'errors', {}],
  _profiler_toolbar_script: ['GET', 'toolbar.js', {}],
  _profiler_toolbar: ['GET', '{token}/toolbar', { token: '[^/]+' }],
  _profiler_compare_marked: ['GET', 'compare', {}],
  _profiler_compare: ['GET', 'compare/{first}/{second}', { first: '[^/]+', second: '[^/]+' }],
  _profiler_schema: ['GET', 'schema.json', {}],
  _profiler_search: ['GET', 'search.{_format}', { _format: 'json|har' }],
  _profiler_data: ['GET', '{token}.{_format}', { token: '[^/.]+', _format: 'json|md|har|curl|cpuprofile' }],
  _profiler_purge: ['POST', '{origin}/purge', { origin: 'app|profiler' }],
  _profiler_mark: ['POST', '{token}/mark', { token: '[^/]+' }],
  _profiler_replay: ['POST', '{token}/replay', { token: '[^/]+' }],
  _profiler_explain: ['POST', '{token}/explain', { token: '[^/]+' }],
  _profiler_browser: ['POST', '{token}/browser', { token: '[^/]+' }],
  _profiler_purge_page: ['GET', '{origin}/purge', { origin: 'app|profiler' }],
  _profiler_action_page: ['GET', '{token}/{action}', { token: '[^/]+', action: 'explain|mark|replay' }],
  _profiler: ['GET', '{token}', { token: '[^/]+' }],
} as const;
export type PageName = keyof typeof pagePaths;
