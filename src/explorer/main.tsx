import { render } from 'preact';
import { startConditions } from './model/conditions.js';
import { startDrafts } from './model/drafts.js';
import { startIdentities } from './model/identities.js';
import { startLive } from './model/live.js';
import { startRoute } from './model/route.js';
import { renewSession } from './model/session.js';
import { App } from './shell/app.js';
import { startShortcuts } from './shell/keys.js';
import type { Tab } from './shell/tabs.js';

/** The tabs in their order. A new one is a row here and a folder, whose `tab.tsx` exports the component as default. */
const tabs: readonly Tab[] = [
  { name: 'data', label: 'Data', key: 'd', load: () => import('./data/tab.js') },
  { name: 'requests', label: 'Requests', key: 'r', load: () => import('./requests/tab.js') },
  { name: 'coach', label: 'Coach', key: 'c', load: () => import('./coach/tab.js') },
  { name: 'state', label: 'State', key: 's', load: () => import('./state/tab.js') },
  { name: 'connect', label: 'Connect', key: 'n', load: () => import('./connect/tab.js') },
];

startShortcuts(tabs);
startRoute();
void renewSession();
startConditions();
startLive();
startIdentities();
startDrafts();
render(<App tabs={tabs} />, document.body);
