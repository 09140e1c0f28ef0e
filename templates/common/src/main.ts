import { serve } from 'lookback';
import { buildApp } from './app.ts';

await serve(() => buildApp());
