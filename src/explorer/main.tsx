import { render } from 'preact';
import { App } from './shell/app.js';
import { startConditions } from './shell/conditions.js';
import { startShortcuts } from './shell/keys/shortcuts.js';
import { startIdentities } from './shell/read-as.js';
import { startRoute } from './shell/route.js';
import { startSession } from './shell/session.js';
import { startTheme } from './shell/theme.js';

startShortcuts();
startTheme();
startRoute();
startSession();
startConditions();
startIdentities();
render(<App />, document.body);
