import { render } from 'preact';
import { App } from './shell/app.js';
import { startConditions } from './shell/conditions.js';
import { startShortcuts } from './shell/keys/shortcuts.js';
import { startRoute } from './shell/route.js';
import { startSession } from './shell/session.js';
import { startTheme } from './shell/theme.js';

startShortcuts();
startTheme();
startRoute();
startSession();
startConditions();
render(<App />, document.body);
