import { serve } from 'lookback';
import { createDemo } from './create-demo.js';

// Prints where the application is; ends with one clear line where it cannot start.
await serve(() => createDemo());
