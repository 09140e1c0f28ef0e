import { type App, createApp } from 'lookback';

export const app: App = createApp({ configuration: { env: 'test', debug: true, profilerStore: 'off' } });

app.get('/unnamed', () => 'nothing');
