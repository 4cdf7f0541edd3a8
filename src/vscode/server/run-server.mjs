// Runs the server in a process of its own, which ends with the editor, however that ended. The build puts the files beside it.
import './end-with-parent.mjs';

await import('./dist/main.js');
